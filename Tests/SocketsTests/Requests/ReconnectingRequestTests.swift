import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// In virtual time, over mocks: each connection is a pair whose other end belongs to the test.
@Suite("A request over a reconnecting WebSocket", .workerPool)
struct ReconnectingRequestTests {
  private let time = VirtualTime()
  private let log = RequestLog()

  private func harness(_ backlog: BacklogPolicy = .queue(limit: 256)) -> ReconnectingHarness {
    var configuration = ReconnectionConfiguration()
    configuration.backlog = backlog
    return ReconnectingHarness(
      time, configuration: configuration, strategy: .fixed(.seconds(1)))
  }

  private func start(
    _ id: Int,
    over run: ReconnectingHarness,
    timeout: Duration = .seconds(5),
    whenLost: LostRequestPolicy = .fail
  ) {
    log.start(
      id,
      run.socket.request(
        Ask(id: id), as: Answer.self, matching: \.id, timeout: timeout, whenLost: whenLost))
    time.settle()
  }

  private func answer(_ id: Int, _ run: ReconnectingHarness, _ text: String = "") throws {
    try run.peer?.answer(id, text)
    time.settle()
  }

  /// The keys of the requests that each connection's peer has received.
  private func asked(_ run: ReconnectingHarness) -> [[Int]] {
    run.received.map { texts in
      texts.compactMap { try? WebSocketMessage.text($0).decode(Ask.self).id }
    }
  }

  @Test func `a reply ends the request, and is no message of the socket`() throws {
    let run = harness()
    run.start()
    start(1, over: run)
    try run.peer?.send("hello")
    try answer(1, run, "reply")
    #expect(log.results == ["1: reply"])
    #expect(run.texts == ["hello"])
  }

  // MARK: Losses

  @Test func `a lost connection fails its requests at once`() throws {
    let run = harness()
    run.start()
    for id in 1...3 { start(id, over: run) }
    run.peer?.fail(.connectionLost)
    time.settle()
    #expect(log.results == (1...3).map { "\($0): lost(cut)" })
    time.advance(by: .seconds(1))
    #expect(asked(run) == [[1, 2, 3], []])
    start(4, over: run)
    run.peer?.close(code: .serviceRestart)
    time.settle()
    #expect(log.results.last == "4: lost(closed 1012)")
  }

  @Test func `idempotent requests are sent again, in order, before later messages`() throws {
    let run = harness()
    run.start()
    for id in 1...3 { start(id, over: run, whenLost: id == 2 ? .fail : .resend) }
    run.peer?.fail(.connectionLost)
    time.settle()
    #expect(log.results == ["2: lost(cut)"])
    try run.socket.send("later")
    start(4, over: run)
    time.advance(by: .seconds(1))
    #expect(asked(run) == [[1, 2, 3], [1, 3, 4]])
    #expect(run.received.last?[2] == "later")
    for id in [3, 1, 4] { try answer(id, run, "reply") }
    #expect(log.results.dropFirst() == ["3: reply", "1: reply", "4: reply"])
    #expect(run.sendOutcomes == ["1 sent"])
  }

  @Test func `a request that is sent again keeps its deadline`() throws {
    let run = harness()
    run.start()
    start(1, over: run, timeout: .milliseconds(2_500), whenLost: .resend)
    for _ in 0..<2 {
      time.advance(by: .milliseconds(200))
      run.peer?.fail(.connectionLost)
      time.advance(by: .seconds(1))
    }
    #expect(asked(run) == [[1], [1], [1]])
    #expect(log.results == [])
    time.advance(by: .milliseconds(100))
    #expect(log.results == ["1: timed out after 2.5 seconds"])
    try answer(1, run)
    #expect(run.socket.pendingRequests.metrics.lateReplies == 1)
  }

  @Test func `a request that ends before the next connection is not sent again`() throws {
    let run = harness()
    run.start()
    for id in 1...3 {
      start(id, over: run, timeout: id == 1 ? .milliseconds(500) : .seconds(5), whenLost: .resend)
    }
    run.peer?.fail(.connectionLost)
    time.settle()
    log.dispose(2)
    time.advance(by: .seconds(1))
    #expect(log.results == ["1: timed out after 0.5 seconds"])
    #expect(asked(run) == [[1, 2, 3], [3]])
    try answer(3, run, "reply")
    #expect(log.results.last == "3: reply")
  }

  @Test func `requests are sent again whatever the backlog policy`() throws {
    for policy in [BacklogPolicy.fail, .queue(limit: 1), .dropOldest(limit: 1)] {
      let run = harness(policy)
      run.start()
      let log = RequestLog()
      for id in 1...3 {
        log.start(
          id,
          run.socket.request(Ask(id: id), as: Answer.self, matching: \.id, whenLost: .resend))
      }
      time.settle()
      run.peer?.fail(.connectionLost)
      time.advance(by: .seconds(1))
      #expect(asked(run) == [[1, 2, 3], [1, 2, 3]])
      run.socket.close()
      time.settle()
      #expect(log.results == (1...3).map { "\($0): lost(closed 1000)" })
    }
  }

  @Test func `the resume hook runs before requests are sent again`() {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { try $0.send("login") }
    let run = ReconnectingHarness(
      time, configuration: configuration, strategy: .fixed(.seconds(1)))
    run.start()
    start(1, over: run, whenLost: .resend)
    run.peer?.fail(.connectionLost)
    time.advance(by: .seconds(1))
    #expect(run.received.map(\.first) == ["login", "login"])
    #expect(asked(run) == [[1], [1]])
  }

  // MARK: Without a connection

  @Test func `a request before the connection is queued, within its deadline`() throws {
    let run = harness()
    start(1, over: run)
    start(2, over: run, timeout: .seconds(1))
    time.advance(by: .seconds(1))
    #expect(log.results == ["2: timed out after 1.0 seconds"])
    run.start()
    #expect(asked(run) == [[1]])
    try answer(1, run, "reply")
    #expect(log.results.last == "1: reply")
    #expect(run.socket.pendingRequests.metrics == RequestMetrics())
  }

  @Test func `a loss does not concern queued requests`() {
    let run = harness()
    run.start()
    start(1, over: run)
    run.peer?.fail(.connectionLost)
    time.settle()
    start(2, over: run)
    #expect(log.results == ["1: lost(cut)"])
    time.advance(by: .seconds(1))
    #expect(asked(run) == [[1], [2]])
  }

  @Test func `a request that an ending connection refuses is sent by the next one`() throws {
    let run = harness()
    run.start()
    log.start(1, run.socket.request(Ask(id: 1), as: Answer.self, matching: \.id))
    // Before the clock has run the send.
    run.peer?.fail(.connectionLost)
    time.settle()
    #expect(log.results == [])
    time.advance(by: .seconds(1))
    #expect(asked(run) == [[], [1]])
    try answer(1, run, "reply")
    #expect(log.results == ["1: reply"])
  }

  @Test func `the limit of the backlog refuses a request, or drops the oldest`() {
    for (policy, expected) in [
      (BacklogPolicy.queue(limit: 1), "2: not sent(full 1)"),
      (.dropOldest(limit: 1), "1: not sent(full 1)"),
    ] {
      let run = harness(policy)
      let log = RequestLog()
      for id in 1...2 {
        log.start(id, run.socket.request(Ask(id: id), as: Answer.self, matching: \.id))
      }
      time.settle()
      #expect(log.results == [expected])
      #expect(run.socket.pendingRequests.metrics.waiting == 1)
    }
    let run = harness(.fail)
    start(1, over: run)
    #expect(log.results == ["1: not sent(idle)"])
  }

  @Test func `queued requests that have ended make room in the backlog`() {
    let run = harness(.queue(limit: 2))
    for id in 0..<100 {
      start(id, over: run, timeout: id % 2 == 0 ? .seconds(1) : .seconds(60))
      if id % 2 == 1 { log.dispose(id) }
      time.advance(by: .seconds(1))
    }
    #expect(log.results.count == 50)
    #expect(log.results.allSatisfy { $0.hasSuffix("timed out after 1.0 seconds") })
    for id in 100...101 { start(id, over: run) }
    run.start()
    #expect(asked(run) == [[100, 101]])
  }

  // MARK: The end

  @Test func `the end of the socket fails sent and queued requests`() {
    let run = harness()
    run.start()
    start(1, over: run)
    run.socket.close()
    time.settle()
    #expect(log.results == ["1: lost(closed 1000)"])
    start(2, over: run)
    #expect(log.results.last == "2: not sent(disconnected)")

    let waiting = harness()
    waiting.start()
    start(3, over: waiting, whenLost: .resend)
    waiting.peer?.fail(.connectionLost)
    time.settle()
    start(4, over: waiting)
    waiting.socket.close()
    time.settle()
    #expect(Set(log.results.suffix(2)) == ["3: lost(cut)", "4: not sent(disconnected)"])
  }

  @Test func `giving up fails the requests that wait for a connection`() {
    let isDown = Locked(false)
    let run = ReconnectingHarness(time, strategy: .fixed(.seconds(1), maxAttempts: 2)) {
      if isDown.withLock({ $0 }) { throw WebSocketError.connectionLost }
    }
    run.start()
    start(1, over: run, whenLost: .resend)
    isDown.withLock { $0 = true }
    run.peer?.fail(.transport(.reset))
    time.settle()
    start(2, over: run)
    time.advance(by: .seconds(2))
    let gaveUp = WebSocketError.gaveUp(attempts: 2, last: .connectionLost)
    #expect(run.failure == gaveUp)
    #expect(log.results == ["1: lost(cut)", "2: not sent(\(gaveUp))"])
  }

  @Test func `a waiting request keeps its socket, and its end releases it`() {
    var run: ReconnectingHarness? = harness()
    run?.start()
    weak let released = run?.socket
    let peer = run?.peer
    if let run { start(1, over: run) }
    run = nil
    time.settle()
    #expect(released?.state == .connected)
    time.advance(by: .seconds(5))
    #expect(log.results == ["1: timed out after 5.0 seconds"])
    #expect(released == nil && peer?.state == .disconnected)
  }

  // MARK: Numbers

  @Test func `a numbered send returns the number of its outcome`() throws {
    let run = harness()
    #expect(try run.socket.sendNumbered(.text("a")) == 1)
    start(1, over: run)
    try run.socket.send("b")
    run.start()
    #expect(try run.socket.sendNumbered(.text("c")) == 3)
    time.settle()
    #expect(run.sendOutcomes == ["1 sent", "2 sent", "3 sent"])
    run.socket.close()
    time.settle()
    #expect(throws: WebSocketError.notConnected(.disconnected)) {
      try run.socket.sendNumbered(.text("d"))
    }
  }
}
