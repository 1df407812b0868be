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
  /// The source is never subscribed to twice at a time: who comes while it is being disposed of observes a
  /// subscription that begins after that.
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
    // The last element of a connection may still be on its way when the next one brings its first.
    var gate = kept == nil ? nil : Gate()
    #if EXPLORED
    if PlantedFault.overlappingElements.isPlanted { gate = nil }
    #endif
    let connections = Connections { [gate] in
      let multicast = kept ?? Multicast<Element>(capacity: replay)
      return Connection<Element> { connection, lifetime in
        let receive = { (element: Element) in
          if !connection.isClosed { multicast.next(element) }
        }
        let end = { (error: (any Error)?) in
          // Who comes while the end is told begins a new connection; or finds what is kept at its end.
          if kept != nil, !connection.isClosed { multicast.hub.end(error) }
          guard connection.close() else { return }
          // The source is let go of first, so that who comes while the end is told need not wait for that.
          connection.release()
          multicast.hub.end(error)
        }
        source.start(
          Observer(
            lifetime, next: gate?.guarded(receive) ?? receive,
            end: gate.map { lifetime.finishing($0.guarded(end)) } ?? end))
      } observe: {
        multicast.add($1, replaysAfterEnd: true)
      }
    }
    return Observable(.hub) { connections.subscribe($0) }
  }
}
