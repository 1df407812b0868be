import Dispatch
import Reactive
import ReactiveTesting
import Synchronization

/// The sources, the clock and the recorder of one run of a diagram.
package final class DiagramStage: Sendable {
  /// The clock, which begins at 0 and has two ticks in a second.
  package let scheduler = TestScheduler(
    initialClock: 0, resolution: 1 / Double(Marble.ticksPerSecond), simulateProcessingDelay: false)
  private let sources: [Observable<String>]
  private let inputs: [[Marble]]
  private let recorded: Mutex<[[Marble]]>
  private let news = DispatchSemaphore(value: 0)
  private let bag = DisposeBag()

  init(inputs: [(kind: DiagramInput.Kind, marbles: [Marble])], rows: Int) {
    let scheduler = self.scheduler
    self.inputs = inputs.map(\.marbles)
    sources = inputs.map { kind, marbles in
      let events = marbles.compactMap(\.recorded)
      return kind == .cold
        ? scheduler.createColdObservable(events).asObservable()
        : scheduler.createHotObservable(events).asObservable()
    }
    recorded = Mutex(Array(repeating: [], count: rows))
  }

  /// The source that an input draws.
  package subscript(_ input: Int) -> Observable<String> { sources[input] }

  /// The source that an input draws in digits.
  package func numbers(_ input: Int) -> Observable<Int> { sources[input].map { Int($0) ?? 0 } }

  /// The time now, in ticks.
  package var tick: Int { scheduler.clock }

  /// Subscribes to `source` and records its events.
  ///
  /// - Parameters:
  ///   - row: row of the answer.
  ///   - observer: input that draws the subscription and its disposal; nil to subscribe at the start.
  package func record<Element>(
    _ source: Observable<Element>, in row: Int = 0, by observer: Int? = nil
  ) {
    during(observer) { [self] in recording(source, in: row) }
  }

  /// Subscribes to `source` now, records its events, and returns the subscription.
  package func recording<Element>(
    _ source: Observable<Element>, in row: Int = 0
  ) -> any Disposable {
    source.subscribe(
      AnyObserver { [self] event in
        switch event {
        case .next(let element): note(.element("\(element)"), in: row)
        case .completed: note(.completed, in: row)
        case .error: note(.failed, in: row)
        }
      })
  }

  /// Blocks until a number of events is recorded, from other threads: those of tasks.
  ///
  /// The time stands still meanwhile. Gives up after ten seconds.
  package func waitForEvents(_ number: Int) {
    while count < number, news.wait(timeout: .now() + 10) == .success {}
  }

  /// Calls `subscribe` when an observer subscribes, and disposes of the result with it.
  ///
  /// - Parameter observer: input that draws the observer; nil to subscribe at the start.
  package func during(_ observer: Int?, _ subscribe: @escaping () -> any Disposable) {
    guard let observer else { return subscribe().disposed(by: bag) }
    let subscription = SerialDisposable()
    subscription.disposed(by: bag)
    for marble in inputs[observer] {
      scheduler.scheduleAt(marble.tick) {
        if marble.kind == .subscribed {
          subscription.disposable = subscribe()
        } else {
          subscription.dispose()
        }
      }
    }
  }

  /// Records an event that happens now.
  package func note(_ kind: Marble.Kind, in row: Int = 0) {
    let marble = Marble(kind, at: tick)
    recorded.withLock { $0[row].append(marble) }
    news.signal()
  }

  /// Records an element that happens now.
  package func note(_ text: String, in row: Int = 0) { note(.element(text), in: row) }

  /// The number of events that have been recorded.
  package var count: Int { recorded.withLock { $0.reduce(0) { $0 + $1.count } } }

  /// Runs `play` and the time up to `end`, and returns the recorded events.
  ///
  /// Drivers and signals use this clock too.
  func run(until end: Int, _ play: @Sendable (DiagramStage) -> Void) -> [[Marble]] {
    SharingScheduler.mock(scheduler: scheduler) {
      play(self)
      scheduler.advanceTo(end)
    }
    return recorded.withLock { $0 }
  }
}

extension Marble {
  /// The event for a source in virtual time; nil for what an observer does.
  fileprivate var recorded: Recorded<Event<String>>? {
    switch kind {
    case .element(let text): .next(tick, text)
    case .completed: .completed(tick)
    case .failed: .error(tick, DiagramError())
    case .subscribed, .disposed: nil
    }
  }
}
