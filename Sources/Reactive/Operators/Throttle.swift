import Foundation

extension ObservableType {
  /// Emits at most one element in every `dueTime`: the first at once and, with `latest`, the last
  /// one that came meanwhile when the time is over.
  ///
  /// A completion waits for the element that is due; an error does not. Delivers where the element
  /// arrives or, when it was held back, on `scheduler`.
  ///
  ///                 -ab-c---d-|
  ///     throttle(2) -a-b-c--d-|
  public func throttle(_ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType)
    -> Observable<Element>
  {
    Observable { [run] down in
      let gate = Gate(down.lifetime)
      let throttle = Throttle<Element>(dueTime: dueTime, latest: latest)
      let timer = SerialDisposable()
      down.lifetime.add(timer)
      let emit: (Element) -> Void = {
        down.next($0)
        throttle.lastSent = scheduler.now
      }
      let emitHeld = gate.guarded { (timer: Int) in
        guard let element = throttle.takeHeld(timer) else { return }
        emit(element)
        if throttle.hasCompleted { down.end(nil) }
      }
      let next = gate.guarded { (element: Element) in
        switch throttle.received(element, at: scheduler.now) {
        case .send: emit(element)
        case .hold(let time, let number):
          timer.disposable = scheduler.after(time) { emitHeld(number) }
        case .nothing: break
        }
      }
      let end = gate.guarded { (error: (any Error)?) in
        if error == nil, throttle.held != nil {
          throttle.hasCompleted = true
        } else {
          timer.dispose()
          down.end(error)
        }
      }
      down.lifetime.run(run, next: next, end: end)
    }
  }
}

/// Decides what becomes of each element.
private final class Throttle<Element> {
  enum Decision {
    case send
    case hold(RxTimeInterval, timer: Int)
    case nothing
  }

  // All touched only inside the operator's gate.
  @exclusivity(unchecked) private(set) var held: Element?
  @exclusivity(unchecked) var lastSent: Date?
  @exclusivity(unchecked) var hasCompleted = false
  // Numbers the timers: one that had begun to fire when it was replaced is told by its number.
  @exclusivity(unchecked) private var timer = 0
  private let dueTime: RxTimeInterval
  private let latest: Bool

  init(dueTime: RxTimeInterval, latest: Bool) {
    self.dueTime = dueTime
    self.latest = latest
  }

  func received(_ element: Element, at now: Date) -> Decision {
    guard let lastSent else { return .send }
    let left = dueTime.reduced(by: now.timeIntervalSince(lastSent))
    if left.nanoseconds == 0 {
      held = nil
      return .send
    }
    guard latest else { return .nothing }
    let isFirst = held == nil
    held = element
    if !isFirst { return .nothing }
    timer &+= 1
    return .hold(left, timer: timer)
  }

  /// What is held, for the timer that it waits for.
  func takeHeld(_ timer: Int) -> Element? {
    guard timer == self.timer else { return nil }
    defer { held = nil }
    return held
  }
}
