import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The handle of a socket", .workerPool) struct SocketHandleTests {
  private enum Action: Sendable, Equatable { case sent, failed(WebSocketError) }

  /// The actions and the end of a started effect.
  private func start(_ effect: Observable<Effect<Action>>) -> [String] {
    let emitted = Locked<[String]>([])
    _ = effect.subscribe { event in
      let line =
        switch event {
        case .next(.send(let action)): "\(action)"
        case .next(let effect): "\(effect)"
        case .error(let error): "error \(error)"
        case .completed: "|"
        }
      emitted.withLock { $0.append(line) }
    }
    return emitted.withLock { $0 }
  }

  @Test func `a handle without a socket is disconnected, and its sends fail`() {
    let handle = SocketHandle()
    let error = WebSocketError.notConnected(.disconnected)
    #expect(handle.state == .disconnected)
    #expect(start(handle.send("a", sent: .sent)) == ["error \(error)"])
    #expect(start(handle.send("a") { .failed($0) }) == ["\(Action.failed(error))", "|"])
    #expect(start(handle.close()) == ["|"])
  }

  @Test func `the end of a replaced socket keeps the new socket attached`() throws {
    let handle = SocketHandle()
    let (old, new) = (MockWebSocket.pair(), MockWebSocket.pair())
    handle.attach(old.0)
    handle.attach(new.0)
    handle.detach(old.0)
    #expect(start(handle.send("a", sent: .sent)) == ["\(Action.sent)", "|"])
    #expect(old.1.received.isEmpty && new.1.received == [.text("a")])
    handle.detach(new.0)
    #expect(handle.state == .disconnected)
  }

  @Test func `a send effect sends each time it is started`() {
    let (handle, pair) = (SocketHandle(), MockWebSocket.pair())
    let effect: Observable<Effect<Action>> = handle.send("a", sent: .sent)
    #expect(start(effect).first?.hasPrefix("error") == true)
    handle.attach(pair.0)
    for _ in 0..<2 { #expect(start(effect) == ["\(Action.sent)", "|"]) }
    #expect(pair.1.received == [.text("a"), .text("a")])
  }

  @Test func `a handle ends the wait of its socket for the next attempt`() {
    let time = VirtualTime()
    let run = ReconnectingHarness(time, strategy: .linear(increment: .seconds(10)))
    let handle = SocketHandle()
    #expect(start(handle.reconnectNow()) == ["|"])
    handle.attach(run.socket)
    run.start()
    run.peer?.fail(.connectionLost)
    time.advance(by: .seconds(3))
    #expect(start(handle.reconnectNow()) == ["|"])
    time.advance(by: .seconds(60))
    #expect(run.attempts == [0, 3])
  }

  @Test func `a test sees that a handle ends the wait of a mock socket`() {
    let (handle, pair) = (SocketHandle(), MockWebSocket.pair())
    handle.attach(pair.client)
    #expect(start(handle.reconnectNow()) == ["|"])
    #expect(pair.client.reconnectNowCalls == 1)
    #expect(pair.server.reconnectNowCalls == 0)
  }

  @Test func `a handle retains a socket only while it is attached`() {
    let handle = SocketHandle()
    weak var socket: MockWebSocket?
    do {
      let pair = MockWebSocket.pair()
      socket = pair.0
      handle.attach(pair.0)
    }
    #expect(socket != nil)
    if let socket { handle.detach(socket) }
    #expect(socket == nil)
  }
}
