/// The connections of a server, from the moment they are accepted.
final class ServedSockets: Sendable {
  let connections = Multicast<WebSocket>(capacity: 1_024, handsOver: true)
  /// Nil once the server is closed.
  private let open = Locked<[ObjectIdentifier: WebSocket]?>([:])

  /// Meets the client at the other end; dropping `transport` closes it.
  func accept(_ transport: any Transport, _ configuration: WebSocketConfiguration) {
    let socket = WebSocket(.server, configuration, on: transport.loop) {
      (transport, .server(ServerHandshake(), configuration))
    }
    let isServing = open.withLock { open in
      open?[ObjectIdentifier(socket)] = socket
      return open != nil
    }
    guard isServing else { return }
    // Ends with the socket, which it keeps until then.
    _ = socket.states.subscribe(onNext: { [self] state in
      switch state {
      case .connected: connections.next(socket)
      case .disconnected: forget(socket)
      case .idle, .connecting, .disconnecting: break
      }
    })
    socket.connect()
  }

  /// Closes all, and accepts no more; the observers are told on `loop`, like everything.
  func close(on loop: EventLoop) {
    let last = open.withLock { open in
      defer { open = nil }
      return open
    }
    for socket in (last ?? [:]).values { socket.close(code: .goingAway) }
    loop.execute { [connections] in connections.hub.end(nil) }
  }

  private func forget(_ socket: WebSocket) {
    // Released here, unlocked: it may be the last reference.
    _ = open.withLock { $0?.removeValue(forKey: ObjectIdentifier(socket)) }
  }
}
