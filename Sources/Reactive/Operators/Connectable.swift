import Synchronization

/// An observable that is subscribed to its source by `connect()` and not by its observers.
public protocol ConnectableObservableType: ObservableType {
  /// Subscribes to the source; what it returns, disposed of, ends that for all observers.
  func connect() -> any Disposable
}

/// An observable that delivers what its source emits while it is connected, to all of its observers.
public final class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  // Immutable.
  private let connecting: () -> any Disposable

  fileprivate init(
    _ connecting: @escaping () -> any Disposable, run: @escaping (Observer<Element>) -> Void
  ) {
    self.connecting = connecting
    super.init(.direct, run)
  }

  /// Subscribes to the source, unless that has been done.
  ///
  /// The connection ends with the source or when the result is disposed of. A new one begins anew, with
  /// a subject of its own where `makeSubject` makes one.
  public func connect() -> any Disposable { connecting() }
}

extension ObservableType {
  /// An observable that delivers the source's elements through `subject` once it is connected.
  public func multicast<Subject: SubjectType>(_ subject: Subject)
    -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element
  { multicasting { subject } }

  /// An observable that delivers the source's elements through a subject once it is connected.
  ///
  /// - Parameter makeSubject: makes the subject of a connection; called again when an observer or a
  ///   connection comes after the end of one.
  @preconcurrency public func multicast<Subject: SubjectType>(
    makeSubject: @escaping @Sendable () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicasting(makeSubject)
  }

  private func multicasting<Subject: SubjectType>(_ makeSubject: @escaping () -> Subject)
    -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element
  {
    let source = asObservable()
    let connection = Locked<Connection<Subject>?>(nil)
    func current() -> Connection<Subject> {
      if let current = connection.withLock({ $0 }) { return current }
      let made = Connection(makeSubject())
      return connection.withLock { connection in
        connection = connection ?? made
        return connection ?? made
      }
    }
    func connect() -> any Disposable {
      let current = current()
      if current.isBegun.exchange(true, ordering: .acquiringAndReleasing) { return current }
      // It is forgotten before its end is told: who comes then is in time for a new one.
      current.add(ActionDisposable { connection.withLock { if $0 === current { $0 = nil } } })
      let observer = current.subject.asObserver()
      source.start(current.observer(next: observer.onNext, end: { observer.on(.end($0)) }))
      return current
    }
    return ConnectableObservable(connect) { current().subject.asObservable().start($0) }
  }

  /// Emits what the observable emits that `selector` makes of the source's elements, shared through a
  /// subject that is made for each subscription.
  ///
  /// An error thrown by a closure is the end.
  @preconcurrency public func multicast<Subject: SubjectType, Result>(
    _ subjectSelector: @escaping @Sendable () throws -> Subject,
    selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    let source = asObservable()
    return Observable<Result> { down in
      down.attempt {
        let connectable = source.multicast(try subjectSelector())
        try selector(connectable).run(down)
        down.lifetime.add(connectable.connect())
      }
    }
  }

  /// An observable that delivers the source's elements to all of its observers once it is connected.
  public func publish() -> ConnectableObservable<Element> { multicast { PublishSubject() } }

  /// The same, with the last `bufferSize` elements for an observer that comes later.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// The same, with all elements for an observer that comes later.
  public func replayAll() -> ConnectableObservable<Element> {
    multicast { ReplaySubject.createUnbounded() }
  }
}

/// One subscription to a source, begun or to come, and the subject that it delivers through.
private final class Connection<Subject>: Lifetime, @unchecked Sendable {
  // Immutable.
  let subject: Subject
  let isBegun = Atomic(false)

  init(_ subject: Subject) { self.subject = subject }
}

extension ConnectableObservableType {
  /// Connects with the first observer and disposes of the connection when the last one leaves.
  ///
  /// An observer that comes while the end of a connection is being told may miss the next one, as in
  /// RxSwift; that of `share()` does not.
  public func refCount() -> Observable<Element> {
    let round = Locked<ObservedLifetime?>(nil)
    return Observable { [run, self] down in
      let (current, isFirst) = round.withLock { round in
        if let round, round.enter() { return (round, false) }
        let made = ObservedLifetime()
        round = made
        return (made, true)
      }
      // Forgotten before the end is told: who comes then begins a new round.
      let end: ((any Error)?) -> Void = { error in
        round.withLock { if $0 === current { $0 = nil } }
        current.dispose()
        down.end(error)
      }
      down.lifetime.run(run, next: down.next, end: end)
      current.leave(with: down.lifetime)
      if isFirst, !current.isClosed { current.add(connect()) }
    }
  }
}
