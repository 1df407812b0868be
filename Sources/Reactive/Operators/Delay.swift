import Foundation

extension ObservableType {
  /// Emits everything `dueTime` later; an error passes at once and drops what waits.
  ///
  /// Delivers on `scheduler`, and errors where they arrive.
  ///
  ///              -a--b-c-|
  ///     delay(2) ---a--b-c-|
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element>
  {
    Observable { [run] down in
      let delayed = Delayed(down, dueTime, scheduler)
      down.lifetime.run(
        run, next: { delayed.received(.element($0)) },
        end: { if let error = $0 { delayed.fail(error) } else { delayed.received(.completion) } })
    }
  }
}

/// What waits until its time has come; one timer for all of it.
private final class Delayed<Element>: Gate, @unchecked Sendable {
  enum Item {
    case element(Element)
    case completion
  }

  // All touched only inside the gate.
  @exclusivity(unchecked) private var waiting = Fifo<(item: Item, arrival: Date)>()
  @exclusivity(unchecked) private var isScheduled = false
  private let timer = SerialDisposable()
  private let down: Observer<Element>
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType

  init(_ down: Observer<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
    self.down = down
    self.dueTime = dueTime
    self.scheduler = scheduler
    super.init(down.lifetime)
    down.lifetime.add(timer)
  }

  func received(_ item: Item) {
    run(item) { item in
      self.waiting.append((item, self.scheduler.now))
      if self.isScheduled { return }
      self.isScheduled = true
      self.schedule(after: self.dueTime)
    }
  }

  func fail(_ error: any Error) {
    run(error) {
      self.waiting.removeAll()
      self.timer.dispose()
      self.down.end($0)
    }
  }

  private func schedule(after time: RxTimeInterval) {
    timer.disposable = scheduler.after(time) { self.run((), self.deliverFirst) }
  }

  private func deliverFirst() {
    guard let first = waiting.popFirst() else { return }
    switch first.item {
    case .element(let element): down.next(element)
    case .completion: return down.end(nil)
    }
    guard let next = waiting.first else {
      isScheduled = false
      return
    }
    schedule(after: dueTime.reduced(by: scheduler.now.timeIntervalSince(next.arrival)))
  }
}
