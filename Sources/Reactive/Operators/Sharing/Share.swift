/// How long a shared observable keeps its replayed elements.
public enum SubjectLifetimeScope: Sendable {
  /// The replayed elements are forgotten at the end of the connection; the recommended default.
  ///
  /// A connection ends when the last observer is disposed of, or when the source ends.
  case whileConnected
  /// The replayed elements are kept between connections, and an end of the source is final.
  case forever
}

extension ObservableType {
  /// Shares one subscription to the source among all observers.
  ///
  /// The subscription begins with the first observer, and is disposed of when the last observer is.
  /// There are never two subscriptions at a time: an observer that subscribes during the disposal
  /// observes a subscription that begins after it.
  ///
  /// - Parameters:
  ///   - replay: number of last elements that a new observer receives first; 0 by default
  ///   - scope: whether these elements are forgotten with the connection (the default) or kept
  @inlinable public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected)
    -> Observable<Element>
  {
    precondition(replay >= 0, "share: replay is \(replay), and cannot be negative.")
    let source = asObservable()
    let kept = scope == .forever ? ReplayingHub<Element>(capacity: replay) : nil
    // A thread may still deliver the last element of a connection when the next one begins to emit.
    var gate = kept == nil ? nil : SerialGate()
    #if EXPLORED
    if PlantedFault.overlappingElements.isPlanted { gate = nil }
    #endif
    // It decides when a connection begins and ends; this closure makes one.
    let connections = ConnectionLifecycle { [gate] in
      let replayingHub = kept ?? ReplayingHub<Element>(capacity: replay)
      return SharedConnection<Element> { connection, lifetime in
        let receive = { (element: Element) in
          if !connection.isClosed { replayingHub.next(element) }
        }
        let end = { (error: (any Error)?) in
          // The end marks the hub or closes the connection before observers receive it. An observer
          // that subscribes meanwhile therefore gets the kept end, or a new connection.
          if kept != nil, !connection.isClosed { replayingHub.hub.end(error) }
          guard connection.close() else { return }
          // The source is released first: an observer that subscribes during the end need not wait.
          connection.release { replayingHub.hub.end(error) }
        }
        source.start(
          Observer(
            lifetime, next: gate?.guarded(receive) ?? receive,
            end: gate.map { lifetime.finishing($0.guarded(end)) } ?? end))
      } observe: {
        replayingHub.add($1, replaysAfterEnd: true)
      }
    }
    return Observable(.hub) { connections.subscribe($0) }
  }
}
