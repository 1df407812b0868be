import Reactive

/// Records every event with the virtual time at which it is received.
public final class TestableObserver<Element>: ObserverType {
  private let scheduler: TestScheduler
  private let recorded = Locked<[Recorded<Event<Element>>]>([])

  init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

  /// The recorded events.
  public var events: [Recorded<Event<Element>>] { recorded.withLock { $0 } }

  /// Records an event.
  public func on(_ event: Event<Element>) {
    let time = scheduler.clock
    recorded.withLock { $0.append(Recorded(time: time, value: event)) }
  }
}

// The recorded events have their own lock.
extension TestableObserver: @unchecked Sendable where Element: Sendable {}
