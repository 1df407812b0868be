/// The parts of a socket that a ``WebSocketClient`` uses.
package struct ClientSocket: Sendable {
  let socket: any WebSocketType
  let lifecycle: Observable<WebSocketEvent>
  let receive: @Sendable () async throws -> WebSocketMessage
  let send: @Sendable (WebSocketMessage) async throws -> Void
  let ping: @Sendable () async throws -> Void

  /// Wraps a socket that is not connected yet.
  ///
  /// - Parameters:
  ///   - lifecycle: the socket's events, with or without messages.
  ///   - receive: returns the next message that was not received yet; throws at the end.
  ///   - send: waits for room.
  ///   - ping: waits for the pong.
  package init(
    _ socket: any WebSocketType,
    lifecycle: Observable<WebSocketEvent>,
    receive: @escaping @Sendable () async throws -> WebSocketMessage,
    send: @escaping @Sendable (WebSocketMessage) async throws -> Void,
    ping: @escaping @Sendable () async throws -> Void
  ) {
    (self.socket, self.lifecycle) = (socket, lifecycle)
    (self.receive, self.send, self.ping) = (receive, send, ping)
  }

  init(_ socket: WebSocket) {
    self.init(
      socket,
      lifecycle: socket.lifecycle,
      receive: { try await socket.receive() },
      send: { try await socket.sendWhenWritable($0) },
      ping: { _ = try await socket.ping() }
    )
  }
}

extension WebSocket {
  /// The events without messages, which stay unread until the first `receive()`.
  fileprivate var lifecycle: Observable<WebSocketEvent> {
    states.concatMap { [driver] state -> Observable<WebSocketEvent> in
      switch state {
      case .connected: return .just(.connected)
      case .disconnected:
        let outcome = driver.outcome ?? CloseOutcome()
        let end = WebSocketEvent.disconnected(code: outcome.code, reason: outcome.reason)
        return .from(outcome.error.map { [.error($0), end] } ?? [end])
      case .idle, .connecting, .disconnecting: return .empty()
      }
    }
  }
}

/// The sockets of a ``WebSocketClient`` by their ids.
final class ClientSockets: Sendable {
  typealias ID = WebSocketClient.ID

  private let sockets = Locked<[ID: ClientSocket]>([:])

  func socket(_ id: ID) throws(WebSocketError) -> ClientSocket {
    guard let socket = sockets.withLock({ $0[id] }) else { throw .notConnected(.disconnected) }
    return socket
  }

  /// Connects `new`, and closes the open socket with the same id.
  func open(_ id: ID, _ new: ClientSocket) -> AsyncStream<WebSocketClient.Action> {
    let replaced = sockets.withLock { $0.updateValue(new, forKey: id) }
    replaced?.socket.close(code: .goingAway)
    let actions = AsyncStream<WebSocketClient.Action> { continuation in
      let subscription = new.lifecycle.subscribe(
        onNext: { event in
          switch event {
          case .connected: continuation.yield(.didOpen(protocol: new.socket.subprotocol))
          case .error(let error): continuation.yield(.didFail(error))
          case .disconnected(let code, let reason):
            continuation.yield(.didClose(code: code, reason: reason))
          case .message: break
          }
        },
        onCompleted: { continuation.finish() }
      )
      continuation.onTermination = { _ in
        subscription.dispose()
        new.socket.close(code: .goingAway)
      }
      new.socket.connect()
    }
    // The id stays valid until the caller has received the end: messages that arrived before it can
    // still be received, even if the end follows at once.
    let bag = DisposeBag()
    Disposables.create { self.forget(id, new) }.disposed(by: bag)
    return AsyncStream {
      var iterator = actions.makeAsyncIterator()
      let action = await iterator.next()
      switch action {
      case .didClose, nil: bag.dispose()
      case .didOpen, .didFail: break
      }
      return action
    }
  }

  func results(of id: ID) -> AsyncStream<Result<WebSocketMessage, WebSocketError>> {
    let socket = sockets.withLock { $0[id] }
    let isOver = Locked(false)
    return AsyncStream {
      if isOver.withLock({ $0 }) { return nil }
      do {
        guard let socket else { throw WebSocketError.notConnected(.disconnected) }
        return .success(try await socket.receive())
      } catch {
        isOver.withLock { $0 = true }
        return (error as? WebSocketError).map { .failure($0) }
      }
    }
  }

  /// Removes this socket, unless another one has taken its id.
  private func forget(_ id: ID, _ socket: ClientSocket) {
    // Released after unlocking.
    _ = sockets.withLock { sockets in
      sockets[id]?.socket === socket.socket ? sockets.removeValue(forKey: id) : nil
    }
  }
}
