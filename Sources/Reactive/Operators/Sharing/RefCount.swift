extension ConnectableObservableType {
  /// Connects with the first observer, and disposes of the connection with the last one.
  ///
  /// With a type of your own that conforms to the protocol, an observer that subscribes while the
  /// connection ends may join the ended connection, as in RxSwift.
  public func refCount() -> Observable<Element> {
    let connectable = asObservable()
    let connections =
      (self as? ConnectableObservable<Element>)?.connections
      ?? ConnectionLifecycle {
        SharedConnection { _, lifetime in
          lifetime.add(self.connect())
        } observe: { connection, down in
          let end = { (error: (any Error)?) in
            guard connection.close() else { return down.end(error) }
            connection.release { down.end(error) }
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
  ///
  /// There is one connection. An observer that comes after its end receives what the subject keeps:
  /// the elements to replay, and the end. The last observer of a `refCount()` of the same observable
  /// disposes of the connection.
  public func autoconnect() -> Observable<Element> {
    if let connections = (self as? ConnectableObservable<Element>)?.connections {
      let connection = Locked<SharedConnection<Element>?>(nil)
      return Observable { connections.subscribe($0, once: connection) }
    }
    let (connectable, first) = (asObservable(), Lifetime())
    return Observable { down in
      connectable.start(down)
      if first.finish() { _ = self.connect() }
    }
  }
}
