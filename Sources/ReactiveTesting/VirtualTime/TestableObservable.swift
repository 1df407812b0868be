import Reactive

/// An observable of a test: emits what it was told to, and remembers when it was subscribed.
public final class TestableObservable<Element>: ObservableType {
  /// What it emits: at these times when it is hot, so long after each subscription when it is cold.
  public let recordedEvents: [Recorded<Event<Element>>]
  private let journal: SubscriptionJournal
  private let source: Observable<Element>

  private init(
    _ recordedEvents: [Recorded<Event<Element>>],
    _ journal: SubscriptionJournal,
    _ run: @escaping (Observer<Element>) -> Void
  ) {
    self.recordedEvents = recordedEvents
    self.journal = journal
    source = Observable(.direct, run)
  }

  /// When it was subscribed and disposed of, in the order of the subscriptions.
  public var subscriptions: [Subscription] { journal.subscriptions }

  /// Subscribes `observer`.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    source.subscribe(observer)
  }

  /// This observable without its record.
  public func asObservable() -> Observable<Element> { source }
}

// Immutable; the journal has a lock of its own.
extension TestableObservable: @unchecked Sendable where Element: Sendable {}

// MARK: - Hot and cold

extension TestableObservable {
  /// Emits at the recorded times, to whoever observes then, and goes on after a terminal.
  static func hot(
    _ recordedEvents: [Recorded<Event<Element>>],
    _ scheduler: TestScheduler
  ) -> TestableObservable {
    let journal = SubscriptionJournal(scheduler)
    let observers = Locked<[(id: Int, observer: Observer<Element>)]>([])
    for recorded in recordedEvents {
      scheduler.scheduleAt(recorded.time) {
        for (_, observer) in observers.withLock({ $0 }) { observer.receive(recorded.value) }
      }
    }
    return TestableObservable(recordedEvents, journal) { down in
      let id = journal.begin()
      observers.withLock { $0.append((id, down)) }
      down.lifetime.add(
        ActionDisposable {
          journal.end(id)
          observers.withLock { $0.removeAll { $0.id == id } }
        }
      )
    }
  }

  /// Emits to each observer by itself, counting the recorded times from its subscription.
  static func cold(
    _ recordedEvents: [Recorded<Event<Element>>],
    _ scheduler: TestScheduler
  ) -> TestableObservable {
    let journal = SubscriptionJournal(scheduler)
    return TestableObservable(recordedEvents, journal) { down in
      let id = journal.begin()
      for recorded in recordedEvents {
        _ = scheduler.scheduleRelativeVirtual((), dueTime: recorded.time) {
          down.receive(recorded.value)
          return Disposables.create()
        }
      }
      down.lifetime.add(ActionDisposable { journal.end(id) })
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

/// Notes when subscriptions begin and end.
private final class SubscriptionJournal: Sendable {
  private let scheduler: TestScheduler
  private let noted = Locked<[Subscription]>([])

  init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

  var subscriptions: [Subscription] { noted.withLock { $0 } }

  /// Notes a subscription; the result names it.
  func begin() -> Int {
    let time = scheduler.clock
    return noted.withLock {
      $0.append(Subscription(time))
      return $0.count - 1
    }
  }

  func end(_ index: Int) {
    let time = scheduler.clock
    noted.withLock { $0[index] = Subscription($0[index].subscribe, time) }
  }
}
