/// How long a shared observable remembers.
public enum SubjectLifetimeScope: Sendable {
  /// Each connection begins anew: what was replayed is forgotten when the last observer leaves or the
  /// source ends. The recommended default.
  case whileConnected
  /// What was replayed is kept between connections, and an end of the source is final.
  case forever
}

extension ObservableType {
  /// One subscription to the source for all observers: it begins with the first and is disposed of
  /// when the last one leaves.
  ///
  /// - Parameters:
  ///   - replay: how many of the last elements a new observer receives first; 0 by default.
  ///   - scope: whether they are forgotten with the connection (the default) or kept.
  @inlinable public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected)
    -> Observable<Element>
  {
    precondition(replay >= 0, "share: replay is \(replay), and cannot be negative.")
    let source = asObservable()
    let kept = scope == .forever ? Multicast<Element>(capacity: replay) : nil
    let connections = Connections {
      let multicast = kept ?? Multicast<Element>(capacity: replay)
      return Connection<Element> { connection in
        source.start(
          Observer(
            connection, next: { if !connection.isClosed { multicast.next($0) } },
            end: { error in
              // Who comes while the end is told begins a new connection; or finds what is kept at its
              // end.
              if kept != nil, !connection.isClosed { multicast.hub.end(error) }
              guard connection.close() else { return }
              multicast.hub.end(error)
              connection.release()
            }))
      } observe: {
        multicast.add($1, replaysAfterEnd: true)
      }
    }
    return Observable(.hub) { connections.subscribe($0) }
  }
}
