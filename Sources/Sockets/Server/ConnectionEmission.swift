import Reactive
import Synchronization

/// Emits the connections of several loops one after the other, each on its own loop's thread, then the end.
///
/// Nobody waits for an observer: what comes meanwhile is emitted later.
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

  private let connections: Multicast<WebSocket>
  private let state = Locked(State())
  /// How many connections have ended since those that are kept for the first observer were looked through.
  private let ended = Atomic(0)

  init(_ connections: Multicast<WebSocket>) { self.connections = connections }

  /// Emits a connection at once, or when those before it are emitted; on its loop.
  func next(_ socket: WebSocket) {
    if let item = begin(.connection(socket)) { emit(item) }
  }

  /// A connection has ended, in which so many bytes wait for their observer.
  ///
  /// On any loop. It is released at once when it holds much, else when some more have ended: of thousands that are
  /// kept for the first observer, not all are looked through for each that ends.
  func noteEnd(holding bytes: Int) {
    let kept = connections.rememberedCount
    let ended = ended.add(1, ordering: .relaxed).newValue
    if kept > 0, ended >= min(32, kept / 2) || bytes > Self.smallBacklog { forgetEnded() }
  }

  /// What one that has ended may hold until others have ended: 16 KiB.
  private static var smallBacklog: Int { 16 << 10 }

  private func forgetEnded() {
    ended.store(0, ordering: .relaxed)
    connections.forget { $0.state == .disconnected }
  }

  /// Adds an observer; the first receives the connections that came before it and have not ended.
  func add(_ down: Observer<WebSocket>) {
    forgetEnded()
    connections.add(down, replaysAfterEnd: true)
  }

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
