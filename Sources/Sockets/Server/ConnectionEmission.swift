import Synchronization

/// Emits the connections of several loops one at a time, each on its own loop's thread, then the
/// end.
///
/// A loop never waits for an observer on another loop: its connection is queued and emitted later.
final class ConnectionEmission: Sendable {
  private enum Item {
    case connection(WebSocket)
    case end(EventLoop)

    var loop: EventLoop {
      switch self {
      case .connection(let socket): socket.driver.loop
      case .end(let loop): loop
      }
    }
  }

  private struct State {
    var isEmitting = false
    var waiting = Fifo<Item>()
  }

  private let connections: ReplayingHub<WebSocket>
  private let state = Locked(State())
  /// How many connections have ended since ended connections were last removed from the kept ones.
  private let ended = Atomic(0)

  init(_ connections: ReplayingHub<WebSocket>) { self.connections = connections }

  /// Emits a connection now, or after those in the queue; call it on the connection's loop.
  func next(_ socket: WebSocket) {
    if let item = begin(.connection(socket)) { emit(item) }
  }

  /// Notes that a connection with `bytes` of unobserved messages has ended; on any loop.
  ///
  /// A connection with a large backlog is released at once, others in batches: a search through
  /// thousands of kept connections for each ended one would cost too much.
  func noteEnd(holding bytes: Int) {
    let kept = connections.rememberedCount
    let ended = ended.add(1, ordering: .relaxed).newValue
    if kept > 0, ended >= min(32, kept / 2) || bytes > Self.smallBacklog { forgetEnded() }
  }

  /// The largest backlog that may wait for a batch, in bytes: 16 KiB.
  private static var smallBacklog: Int { 16 << 10 }

  private func forgetEnded() {
    ended.store(0, ordering: .relaxed)
    connections.forget { $0.state == .disconnected }
  }

  /// Adds an observer; the first one receives the open connections from before its subscription.
  func add(_ down: Observer<WebSocket>) {
    forgetEnded()
    connections.add(down, replaysAfterEnd: true)
  }

  /// Completes on this loop, after all queued connections are emitted.
  func end(on loop: EventLoop) {
    guard let item = begin(.end(loop)) else { return }
    loop.execute { self.emit(item) }
  }

  /// Returns the item if it may be emitted now; queues it otherwise.
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
      // The connection may have ended while it was queued.
      if socket.state == .disconnected { noteEnd(holding: socket.driver.streams.backlogBytes) }
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
