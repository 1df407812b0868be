import Reactive

/// Emits the connections of several loops one after the other, each on its own loop's thread, then the end.
///
/// Nobody waits for an observer: what comes meanwhile is emitted later.
final class ConnectionEmission: Sendable {
  private enum Item {
    case connection(WebSocket)
    case end(EventLoop)

    var loop: EventLoop {
      switch self {
      case .connection(let socket): socket.pump.loop
      case .end(let loop): loop
      }
    }
  }

  private struct State {
    var isEmitting = false
    var waiting = Fifo<Item>()
  }

  private let connections: Multicast<WebSocket>
  private let state = Locked(State())

  init(_ connections: Multicast<WebSocket>) { self.connections = connections }

  /// Emits a connection at once, or when those before it are emitted; on its loop.
  func next(_ socket: WebSocket) {
    if let item = begin(.connection(socket)) { emit(item) }
  }

  /// A connection has ended: nobody is to be told of it any more; on its loop.
  func forget(_ socket: WebSocket) { connections.forget { $0 === socket } }

  /// Completes on this loop, when all that came before is emitted.
  func end(on loop: EventLoop) {
    guard let item = begin(.end(loop)) else { return }
    loop.execute { self.emit(item) }
  }

  /// Returns the item, unless it has to wait for its turn.
  private func begin(_ item: Item) -> Item? {
    state.withLock { state in
      if state.isEmitting {
        state.waiting.append(item)
        return nil
      }
      state.isEmitting = true
      return item
    }
  }

  private func emit(_ item: Item) {
    switch item {
    case .connection(let socket):
      connections.next(socket)
      // It may have waited for its turn until it had ended.
      if socket.state == .disconnected { forget(socket) }
    case .end: connections.hub.end(nil)
    }
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      state.isEmitting = next != nil
      return next
    }
    if let next { next.loop.execute { self.emit(next) } }
  }
}
