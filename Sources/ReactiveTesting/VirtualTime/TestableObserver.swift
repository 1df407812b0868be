import Reactive

/// Records every event it receives, with the virtual time at which it came.
public final class TestableObserver<Element>: ObserverType {
  private let scheduler: TestScheduler
  private let recorded = Locked<[Recorded<Event<Element>>]>([])

  init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

  /// What it has received.
  public var events: [Recorded<Event<Element>>] { recorded.withLock { $0 } }

  /// Records an event.
  public func on(_ event: Event<Element>) {
    let time = scheduler.clock
    recorded.withLock { $0.append(Recorded(time: time, value: event)) }
  }
}

// What it has recorded has a lock of its own.
extension TestableObserver: @unchecked Sendable where Element: Sendable {}
