/// An observable that is subscribed to its source by `connect()` and not by its observers.
public protocol ConnectableObservableType: ObservableType {
  /// Subscribes to the source; what it returns, disposed of, ends that for all observers.
  func connect() -> any Disposable
}

/// An observable that delivers what its source emits while it is connected, to all of its observers.
public final class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  // Immutable; has a lock of its own.
  fileprivate let connections: Connections<Element>

  fileprivate init(_ connections: Connections<Element>) {
    self.connections = connections
    super.init(.direct) { connections.current().observe($0) }
  }

  /// Subscribes to the source, unless that has been done; once the connection before has let go of it.
  ///
  /// The connection ends with the source or when the result is disposed of. A new one begins anew, with
  /// a subject of its own where `makeSubject` makes one.
  public func connect() -> any Disposable { connections.connect() }
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
    return ConnectableObservable(
      Connections {
        let subject = makeSubject()
        let observer = subject.asObserver()
        return Connection { connection, lifetime in
          source.start(
            Observer(
              lifetime, next: { if !connection.isClosed { observer.onNext($0) } },
              end: connection.finishing { observer.on(.end($0)) }))
        } observe: {
          subject.asObservable().start($1)
        }
      })
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
        _ = connectable.connections.connect(within: down.lifetime)
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

extension ConnectableObservableType {
  /// Connects with the first observer and disposes of the connection when the last one leaves.
  public func refCount() -> Observable<Element> {
    let connectable = asObservable()
    let connections =
      (self as? ConnectableObservable<Element>)?.connections
      ?? Connections {
        Connection { _, lifetime in
          lifetime.add(self.connect())
        } observe: { connection, down in
          let end: ((any Error)?) -> Void = {
            connection.dispose()
            down.end($0)
          }
          connectable.start(Observer(down.lifetime, next: down.next, end: end))
        }
      }
    return Observable { connections.subscribe($0) }
  }

  /// Connects with the first observer, and stays connected though all leave, until the source ends.
  ///
  ///     source      --a--b--c--|
  ///     first       ^-a--|
  ///     second           ^-----c--|
  public func autoconnect() -> Observable<Element> {
    let (connectable, first) = (asObservable(), Lifetime())
    return Observable { down in
      connectable.start(down)
      if first.finish() { _ = self.connect() }
    }
  }
}
