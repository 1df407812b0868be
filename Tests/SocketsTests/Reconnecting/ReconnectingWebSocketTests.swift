import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// In virtual time, over mocks: each attempt is a pair whose other end belongs to the test.
@Suite("A reconnecting WebSocket", .workerPool)
struct ReconnectingWebSocketTests {
  private let time = VirtualTime()
  private let down = WebSocketError.transport(.refused(address: "here"))

  // MARK: Attempts

  @Test func `F09: the connect closure is called for each attempt`() {
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(1)))
    run.start()
    for _ in 0..<3 {
      run.peer?.fail(.connectionLost)
      time.advance(by: .seconds(1))
    }
    #expect(run.attempts == [0, 1, 2, 3])
    #expect(run.socket.reconnects == 3)
  }

  @Test func `F10: without a server, attempts follow after 1, 2, 4, 8, 16, 30 ... seconds and end`()
  {
    let run = ReconnectingHarness(time) {
      throw WebSocketError.transport(.refused(address: "here"))
    }
    run.start()
    time.advance(by: .seconds(3_600))
    #expect(run.attempts == [0, 1, 3, 7, 15, 31, 61, 91, 121, 151, 181])
    let error = WebSocketError.gaveUp(attempts: 10, last: down)
    #expect(run.socket.reconnectionState == .disconnected(error))
    #expect(run.failure == error)
    #expect(run.events.last == .disconnected(code: .abnormal, reason: ""))
    #expect(run.isCompleted)
  }

  @Test func `F10: jitter makes each delay up to a quarter longer`() {
    let run = ReconnectingHarness(time, random: 0.5) { throw WebSocketError.connectionLost }
    run.start()
    time.advance(by: .seconds(8))
    #expect(run.attempts == [0, 1.125, 3.375, 7.875])
  }

  @Test func `F11: a fixed strategy waits 5, 5, 5 seconds`() {
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(5))) {
      throw WebSocketError.connectionLost
    }
    run.start()
    time.advance(by: .seconds(15))
    #expect(run.attempts == [0, 5, 10, 15])
  }

  @Test func `F12: a linear strategy waits 1, 2, 3 seconds`() {
    let run = ReconnectingHarness(time, strategy: .linear()) { throw WebSocketError.connectionLost }
    run.start()
    time.advance(by: .seconds(6))
    #expect(run.attempts == [0, 1, 3, 6])
  }

  @Test func `F13: the strategy none makes one attempt, and ends with its error`() {
    let run = ReconnectingHarness(time, strategy: .none) { throw WebSocketError.connectionLost }
    run.start()
    time.advance(by: .seconds(60))
    #expect(run.attempts == [0])
    #expect(run.failure == .connectionLost)
  }

  @Test func `F14: attempts count from 0, and again only after a stable connection`() {
    let asked = Locked<[Int]>([])
    let strategy = ReconnectionStrategy { attempt in
      asked.withLock { $0.append(attempt) }
      return .seconds(1)
    }
    let run = ReconnectingHarness(time, strategy: strategy)
    run.start()
    // Accepts and closes at once: not a stable connection.
    for life in [0, 4, 5, 0] {
      time.advance(by: .seconds(life))
      run.peer?.close(code: .serviceRestart)
      time.advance(by: .seconds(1))
    }
    #expect(asked.withLock { $0 } == [0, 1, 0, 1])
  }

  @Test func `Retry-After is a lower bound of the delay`() {
    let run = ReconnectingHarness(time) {
      throw WebSocketError.handshake(.rejected(503, ["Retry-After": "20"]))
    }
    run.start()
    time.advance(by: .seconds(40))
    #expect(run.attempts == [0, 20, 40])
  }

  @Test func `a Retry-After of any size is respected`() {
    let run = ReconnectingHarness(time) {
      throw WebSocketError.handshake(.rejected(503, ["Retry-After": "\(Int.max)"]))
    }
    run.start()
    time.advance(by: .seconds(1_000_000))
    #expect(run.attempts == [0])
  }

  @Test func `a permanent rejection is not retried`() {
    let run = ReconnectingHarness(time) {
      throw WebSocketError.handshake(.rejected(401))
    }
    run.start()
    time.advance(by: .seconds(60))
    #expect(run.attempts == [0])
    #expect(
      run.failure == .handshake(.rejected(401)))
  }

  @Test func `a close with 1000 by the peer ends the WebSocket without an error`() {
    let run = ReconnectingHarness(time)
    run.start()
    run.peer?.close(reason: "done")
    time.advance(by: .seconds(60))
    #expect(run.attempts == [0])
    #expect(run.socket.reconnectionState == .disconnected(nil))
    #expect(run.events.last == .disconnected(code: .normal, reason: "done"))
    #expect(run.isCompleted && run.failure == nil)
  }

  @Test func `the user's closure decides which failures are retried`() {
    var configuration = ReconnectionConfiguration()
    configuration.shouldReconnect = { $0.code == 4_000 }
    let run = ReconnectingHarness(time, configuration: configuration, strategy: .fixed(.seconds(1)))
    run.start()
    run.peer?.close(code: 4_000)
    time.advance(by: .seconds(1))
    run.peer?.close(code: .goingAway)
    time.advance(by: .seconds(60))
    #expect(run.attempts == [0, 1])
  }

  @Test func `an attempt that hangs ends after 30 seconds`() {
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(1))) {
      try await EffectContext.sleep(.seconds(1_000))
    }
    run.start()
    time.advance(by: .seconds(31))
    #expect(run.attempts == [0, 31])
    #expect(run.events.first == .error(.handshakeTimedOut(after: .seconds(30))))
  }

  @Test func `reconnectNow ends a delay, and is ignored otherwise`() {
    let run = ReconnectingHarness(time, strategy: .linear(increment: .seconds(10)))
    run.start()
    run.socket.reconnectNow()
    time.advance(by: .seconds(1))
    #expect(run.attempts == [0])
    run.peer?.fail(.connectionLost)
    time.advance(by: .seconds(3))
    run.socket.reconnectNow()
    time.advance(by: .seconds(60))
    #expect(run.attempts == [0, 4])
    // Counted from 0 again.
    run.peer?.fail(.connectionLost)
    time.settle()
    let waiting = ReconnectionState.waitingToReconnect(
      retry: 1, delay: .seconds(10), error: .connectionLost)
    #expect(run.socket.reconnectionState == waiting)
  }

  // MARK: Observing

  @Test func `F18: each state is emitted once, and so are the attempt and its delay`() {
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(5)))
    #expect(run.socket.state == .idle)
    run.start()
    run.peer?.fail(.connectionLost)
    time.advance(by: .seconds(5))
    run.socket.close()
    time.settle()
    #expect(
      run.reconnectionStates == [
        .idle, .connecting(retry: 0), .connected, .disconnecting,
        .waitingToReconnect(retry: 1, delay: .seconds(5), error: .connectionLost),
        .connecting(retry: 1), .connected, .disconnecting, .disconnected(nil),
      ])
    #expect(
      run.states == [
        .idle, .connecting, .connected, .disconnecting, .disconnected, .connecting, .connected,
        .disconnecting, .disconnected,
      ])
  }

  @Test func `F21: one subscription spans all connections`() throws {
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(1)))
    run.start()
    try run.peer?.send("one")
    run.peer?.fail(.connectionLost)
    time.advance(by: .seconds(1))
    try run.peer?.send("two")
    time.settle()
    #expect(
      run.events == [
        .connected, .message(.text("one")), .error(.connectionLost),
        .disconnected(code: .abnormal, reason: ""), .connected, .message(.text("two")),
      ])
    #expect(run.texts == ["one", "two"])
  }

  @Test func `events before the first observer are kept for it`() throws {
    let peers = Locked<[MockWebSocket]>([])
    let socket = time.run {
      ReconnectingWebSocket(connect: {
        let (client, server) = MockWebSocket.pair()
        peers.withLock { $0.append(server) }
        return client
      })
    }
    socket.connect()
    time.settle()
    try peers.withLock { $0 }.first?.send("hello")
    time.settle()
    #expect(try socket.messages.take(1).toBlocking().single() == .text("hello"))
    #expect(
      try socket.events.take(2).toBlocking().toArray() == [.connected, .message(.text("hello"))])
  }

  @Test func `F17: the log has each connection, its end and the next attempt`() {
    let lines = Locked<[String]>([])
    let log = WebSocketLog(.info) { level, line in
      lines.withLock { $0.append("\(level) \(line)") }
    }
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(2), maxAttempts: 3), log: log)
    run.start()
    run.peer?.fail(.connectionLost)
    time.advance(by: .seconds(2))
    run.socket.close()
    time.settle()
    #expect(
      lines.withLock { $0 } == [
        "info connected",
        "warning disconnected: the connection ended without a close frame; "
          + "attempt 1 of 3 in 2.0 seconds",
        "info connecting again, attempt 1 of 3",
        "info connected",
        "info disconnected for good",
      ])
  }

  @Test func `the log names the URL without its secrets`() async {
    let lines = Watched<[String]>([])
    let log = WebSocketLog { level, line in lines.update { $0.append("\(level) \(line)") } }
    let url = "ws://:80/live?token=secret"
    let socket = ReconnectingWebSocket(connect: { WebSocket(url) }, log: log)
    socket.connect()
    await lines.wait { !$0.isEmpty }
    #expect(lines.value[0].hasPrefix("error ws://:80/live?...: disconnected for good: "))
    #expect(!lines.value[0].contains("secret"))
  }

  // MARK: Sending

  @Test func `F15: messages that are sent while reconnecting arrive once, in order, after it`()
    throws
  {
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(1)))
    run.start()
    try run.socket.send("a")
    time.settle()
    run.peer?.fail(.connectionLost)
    time.settle()
    for text in ["b", "c"] { try run.socket.send(text) }
    time.advance(by: .seconds(1))
    try run.socket.send("d")
    time.settle()
    #expect(run.received == [["a"], ["b", "c", "d"]])
    #expect(run.sendOutcomes == ["1 sent", "2 sent", "3 sent", "4 sent"])
  }

  @Test func `F15: the backlog is limited, and a message above the limit is refused`() throws {
    var configuration = ReconnectionConfiguration()
    configuration.backlog = .queue(limit: 2)
    let run = ReconnectingHarness(time, configuration: configuration)
    for text in ["a", "b"] { try run.socket.send(text) }
    #expect(throws: WebSocketError.backlogFull(limit: 2)) { try run.socket.send("c") }
    run.start()
    try run.socket.send("d")
    time.settle()
    #expect(run.received == [["a", "b", "d"]])
  }

  @Test func `the oldest message is dropped and reported`() throws {
    var configuration = ReconnectionConfiguration()
    configuration.backlog = .dropOldest(limit: 2)
    let run = ReconnectingHarness(time, configuration: configuration)
    for text in ["a", "b", "c"] { try run.socket.send(text) }
    run.start()
    #expect(run.received == [["b", "c"]])
    #expect(run.sendOutcomes == ["1 dropped", "2 sent", "3 sent"])
  }

  @Test func `no message is queued when the policy is to fail`() {
    var configuration = ReconnectionConfiguration()
    configuration.backlog = .fail
    let run = ReconnectingHarness(time, configuration: configuration)
    #expect(throws: WebSocketError.notConnected(.idle)) { try run.socket.send("a") }
    run.start()
    #expect(throws: Never.self) { try run.socket.send("b") }
    time.settle()
    #expect(run.received == [["b"]])
  }

  @Test func `a message that is queued at the end fails, and is reported`() throws {
    let run = ReconnectingHarness(time) { throw WebSocketError.connectionLost }
    run.start()
    try run.socket.send("a")
    run.socket.close()
    #expect(throws: WebSocketError.notConnected(.disconnected)) { try run.socket.send("b") }
    time.settle()
    #expect(run.sendOutcomes == ["1 failed(\(WebSocketError.notConnected(.disconnected)))"])
  }

  @Test func `the hook runs before anything else is sent, on each connection`() throws {
    var configuration = ReconnectionConfiguration()
    let last = Locked(0)
    configuration.resume = { socket in
      try await EffectContext.sleep(.seconds(1))
      try socket.send("since \(last.withLock { $0 })")
    }
    let run = ReconnectingHarness(time, configuration: configuration, strategy: .fixed(.seconds(1)))
    run.start()
    try run.socket.send("a")
    time.advance(by: .seconds(1))
    last.withLock { $0 = 7 }
    run.peer?.fail(.connectionLost)
    try run.socket.send("b")
    time.advance(by: .seconds(3))
    #expect(run.received == [["since 0", "a"], ["since 7", "b"]])
  }

  @Test func `a hook that throws ends the attempt`() {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { _ in throw WebSocketError.attemptFailed(reason: "no session") }
    let once = ReconnectionStrategy.fixed(.seconds(1), maxAttempts: 1)
    let run = ReconnectingHarness(time, configuration: configuration, strategy: once)
    run.start()
    time.advance(by: .seconds(10))
    #expect(run.attempts == [0, 1])
    let last = WebSocketError.attemptFailed(reason: "no session")
    #expect(run.failure == .gaveUp(attempts: 1, last: last))
    #expect(run.peer?.state == .disconnected)
  }

  // MARK: The end

  @Test func `F16: stop ends a delay at once, and all streams`() {
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(1_000)))
    run.start()
    run.peer?.fail(.connectionLost)
    time.settle()
    run.socket.close()
    #expect(run.socket.reconnectionState == .disconnected(nil))
    time.settle()
    #expect(run.isCompleted && run.failure == nil)
    time.advance(by: .seconds(5_000))
    #expect(run.attempts == [0])
  }

  @Test func `F16: stop closes the connection with 1000`() throws {
    let run = ReconnectingHarness(time)
    run.start()
    try run.socket.send("last words")
    run.socket.close()
    #expect(run.socket.state == .disconnecting)
    time.settle()
    #expect(try run.peer?.events.toBlocking().last() == .disconnected(code: .normal, reason: ""))
    #expect(run.received == [["last words"]])
    #expect(run.isCompleted)
  }

  @Test func `stop during an attempt closes the resulting connection`() {
    let made = Locked<[MockWebSocket]>([])
    let socket = time.run {
      ReconnectingWebSocket(connect: {
        // Ignores its cancellation.
        try? await EffectContext.sleep(.seconds(1))
        let (client, server) = MockWebSocket.pair()
        made.withLock { $0.append(server) }
        return client
      })
    }
    socket.connect()
    time.settle()
    socket.close()
    #expect(socket.state == .disconnected)
    time.advance(by: .seconds(2))
    #expect(made.withLock { $0 }.map(\.state) == [.disconnected])
  }

  @Test func `a released reconnecting WebSocket closes with 1001 and is freed`() throws {
    let peers = Locked<[MockWebSocket]>([])
    var socket: ReconnectingWebSocket? = time.run {
      ReconnectingWebSocket(connect: {
        let (client, server) = MockWebSocket.pair()
        peers.withLock { $0.append(server) }
        return client
      })
    }
    weak let released = socket
    socket?.connect()
    time.settle()
    let subscription = socket?.messages.subscribe()
    socket = nil
    time.settle()
    #expect(released != nil)
    subscription?.dispose()
    time.settle()
    #expect(released == nil)
    let peer = try #require(peers.withLock { $0 }.first)
    #expect(try peer.events.toBlocking().last() == .disconnected(code: .goingAway, reason: ""))
  }
}
