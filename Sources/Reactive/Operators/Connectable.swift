/// An observable whose `connect()`, and not its observers, subscribes to the source.
public protocol ConnectableObservableType: ObservableType {
  /// Subscribes to the source; disposing of the result ends the subscription for all observers.
  func connect() -> any Disposable
}

/// An observable that delivers the elements of its source to all observers while it is connected.
public final class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  // Immutable; `Connections` has its own lock.
  fileprivate let connections: Connections<Element>

  fileprivate init(_ connections: Connections<Element>) {
    self.connections = connections
    super.init(.direct) { connections.current().observe($0) }
  }

  /// Subscribes to the source, unless there is a connection.
  ///
  /// If the previous connection has not released the source yet, the subscription follows the
  /// release. The connection ends with the source, or when the result is disposed of. The next
  /// connection begins anew, and has its own subject if `makeSubject` makes one.
  public func connect() -> any Disposable { connections.connect() }
}

extension ObservableType {
  /// Returns an observable that delivers the source's elements through `subject` once connected.
  public func multicast<Subject: SubjectType>(_ subject: Subject)
    -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element
  { multicasting { subject } }

  /// Returns an observable that delivers the source's elements through a subject once connected.
  ///
  /// - Parameter makeSubject: makes the subject of a connection; called again for an observer or a
  ///   connection after the end of the previous connection
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

  /// Shares the source through a subject in the observable that `selector` makes.
  ///
  /// Each subscription makes a subject, and emits the elements of the observable that `selector`
  /// returns for the shared source. An error that a closure throws ends the result.
  @preconcurrency public func multicast<Subject: SubjectType, Result>(
    _ subjectSelector: @escaping @Sendable () throws -> Subject,
    selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    let source = asObservable()
    return Observable<Result> { down in
      down.attempt {
        let connectable = source.multicast(try subjectSelector())
        down.runResult { try selector(connectable) }
        _ = connectable.connections.connect(within: down.lifetime)
      }
    }
  }

  /// Returns an observable that delivers the source's elements to all observers once connected.
  public func publish() -> ConnectableObservable<Element> { multicast { PublishSubject() } }

  /// Returns an observable like `publish()` that replays the last `bufferSize` elements.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// Returns an observable like `publish()` that replays all elements.
  public func replayAll() -> ConnectableObservable<Element> {
    multicast { ReplaySubject.createUnbounded() }
  }
}

extension ConnectableObservableType {
  /// Connects with the first observer, and disposes of the connection with the last one.
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

  /// Connects with the first observer, and stays connected without observers until the source ends.
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
