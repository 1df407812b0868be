import Reactive

/// An observable for tests: emits given events, and records its subscriptions.
public final class TestableObservable<Element>: ObservableType {
  /// The events that it emits.
  ///
  /// Times are absolute for a hot observable, and relative to each subscription for a cold one.
  public let recordedEvents: [Recorded<Event<Element>>]
  private let log: SubscriptionLog
  private let source: Observable<Element>

  private init(
    _ recordedEvents: [Recorded<Event<Element>>],
    _ log: SubscriptionLog,
    _ run: @escaping (Observer<Element>) -> Void
  ) {
    self.recordedEvents = recordedEvents
    self.log = log
    source = Observable(.direct, run)
  }

  /// The recorded subscriptions, in order.
  public var subscriptions: [Subscription] { log.subscriptions }

  /// Subscribes `observer`.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    source.subscribe(observer)
  }

  /// The same observable without its recorded events and subscriptions.
  public func asObservable() -> Observable<Element> { source }
}

// Immutable; the log has its own lock.
extension TestableObservable: @unchecked Sendable where Element: Sendable {}

// MARK: - Hot and cold

extension TestableObservable {
  /// Emits at the recorded times to the observers of that time, and continues after a terminal.
  static func hot(
    _ recordedEvents: [Recorded<Event<Element>>],
    _ scheduler: TestScheduler
  ) -> TestableObservable {
    let log = SubscriptionLog(scheduler)
    let observers = Locked<[(id: Int, observer: Observer<Element>)]>([])
    for recorded in recordedEvents {
      scheduler.scheduleAt(recorded.time) {
        for (_, observer) in observers.withLock({ $0 }) { observer.receive(recorded.value) }
      }
    }
    return TestableObservable(recordedEvents, log) { down in
      let id = log.begin()
      observers.withLock { $0.append((id, down)) }
      down.lifetime.add(
        ActionDisposable {
          log.end(id)
          observers.withLock { $0.removeAll { $0.id == id } }
        }
      )
    }
  }

  /// Emits to each observer separately, at the recorded times after its subscription.
  static func cold(
    _ recordedEvents: [Recorded<Event<Element>>],
    _ scheduler: TestScheduler
  ) -> TestableObservable {
    let log = SubscriptionLog(scheduler)
    return TestableObservable(recordedEvents, log) { down in
      let id = log.begin()
      for recorded in recordedEvents {
        _ = scheduler.scheduleRelativeVirtual((), dueTime: recorded.time) {
          down.receive(recorded.value)
          return Disposables.create()
        }
      }
      down.lifetime.add(ActionDisposable { log.end(id) })
    }
  }
}

extension Observer {
  fileprivate func receive(_ event: Event<Element>) {
    if lifetime.isDisposed { return }
    switch event {
    case .next(let element): next(element)
    case .error(let error): end(error)
    case .completed: end(nil)
    }
  }
}

/// Records when subscriptions begin and end.
private final class SubscriptionLog: Sendable {
  private let scheduler: TestScheduler
  private let recorded = Locked<[Subscription]>([])

  init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

  var subscriptions: [Subscription] { recorded.withLock { $0 } }

  /// Records a new subscription and returns its index.
  func begin() -> Int {
    let time = scheduler.clock
    return recorded.withLock {
      $0.append(Subscription(time))
      return $0.count - 1
    }
  }

  func end(_ index: Int) {
    let time = scheduler.clock
    recorded.withLock { $0[index] = Subscription($0[index].subscribe, time) }
  }
}
