import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Over mocks, in virtual time: the test is the peer.
@Suite("A request over a socket", .workerPool)
struct RequestTests {
  private let time = VirtualTime()
  private let log = RequestLog()
  private let pair = MockWebSocket.pair()
  private var client: MockWebSocket { pair.client }
  private var server: MockWebSocket { pair.server }

  private func request(
    _ id: Int, _ text: String = "", timeout: Duration = .seconds(5)
  ) -> Single<Answer> {
    time.run {
      client.request(
        Ask(id: id, text: text), as: Answer.self, matching: \.id, timeout: timeout)
    }
  }

  // MARK: Replies

  @Test func `a request is sent as JSON, and its reply is its result`() throws {
    log.start(7, request(7, "how?"))
    #expect(server.asks == [Ask(id: 7, text: "how?")])
    #expect(log.results == [])
    try server.answer(7, "so")
    #expect(log.results == ["7: so"])
    #expect(client.pendingRequests.metrics == RequestMetrics())
  }

  @Test func `each subscription sends the request`() throws {
    let request = request(1)
    #expect(server.asks.isEmpty)
    for text in ["a", "b"] {
      log.start(1, request)
      try server.answer(1, text)
    }
    #expect(server.asks.count == 2)
    #expect(log.results == ["1: a", "1: b"])
  }

  @Test func `concurrent requests receive their replies in any order`() throws {
    for id in 1...3 { log.start(id, request(id)) }
    #expect(client.pendingRequests.metrics.waiting == 3)
    for id in [2, 3, 1] { try server.answer(id, "\(id * id)") }
    #expect(log.results == ["2: 4", "3: 9", "1: 1"])
  }

  @Test func `a reply may arrive before send returns`() throws {
    let (server, bag) = (server, DisposeBag())
    server.messages
      .subscribe(onNext: { message in
        guard let ask: Ask = try? message.decode() else { return }
        try? server.answer(ask.id, ask.text)
      })
      .disposed(by: bag)
    log.start(1, request(1, "echo"))
    #expect(log.results == ["1: echo"])
  }

  @Test func `a request in the delivery of a reply is sent`() throws {
    let second = request(2)
    log.start(1, request(1).flatMap { _ in second })
    try server.answer(1)
    try server.answer(2, "done")
    #expect(log.results == ["1: done"])
  }

  @Test func `only replies are withheld from the messages and events of the socket`() throws {
    let bag = DisposeBag()
    let texts = Locked<[String]>([])
    let append: @Sendable (String) -> Void = { text in texts.withLock { $0.append(text) } }
    client.messages.subscribe(onNext: { append("message \($0.text ?? "")") }).disposed(by: bag)
    client.events
      .subscribe(onNext: { event in
        if case .message(let message) = event { append("event \(message.text ?? "")") }
      })
      .disposed(by: bag)
    log.start(1, request(1))
    try server.send("hello")
    try server.answer(1, "reply")
    try server.send(#"{"news":1}"#)
    #expect(log.results == ["1: reply"])
    let expected = ["hello", #"{"news":1}"#].flatMap { ["message \($0)", "event \($0)"] }
    #expect(texts.withLock { $0 } == expected)
  }

  @Test func `a second message with the key is an ordinary one`() throws {
    let texts = Locked<[WebSocketMessage]>([])
    let subscription = client.messages
      .subscribe(onNext: { message in texts.withLock { $0.append(message) } })
    log.start(1, request(1))
    log.start(2, request(2))
    try server.answer(1, "first")
    try server.answer(1, "second")
    #expect(log.results == ["1: first"])
    #expect(
      texts.withLock { $0.map { try? $0.decode(Answer.self) } } == [Answer(id: 1, text: "second")])
    #expect(client.pendingRequests.metrics.unmatchedReplies == 1)
    subscription.dispose()
  }

  // MARK: Deadlines and disposal

  @Test func `a request without a reply fails at its deadline, and its late reply is counted`()
    throws
  {
    let ordinary = Locked(0)
    let subscription = client.messages.subscribe(onNext: { _ in ordinary.withLock { $0 += 1 } })
    log.start(1, request(1))
    time.advance(by: .milliseconds(4_999))
    log.start(2, request(2, timeout: .seconds(1)))
    #expect(log.results == [])
    time.advance(by: .milliseconds(1))
    #expect(log.results == ["1: timed out after 5.0 seconds"])
    time.advance(by: .seconds(1))
    #expect(log.results.last == "2: timed out after 1.0 seconds")
    #expect(client.pendingRequests.metrics == RequestMetrics())
    for _ in 0..<2 { try server.answer(1) }
    #expect(client.pendingRequests.metrics.lateReplies == 1)
    // The second reply has no request, and is an ordinary message.
    #expect(client.pendingRequests.metrics.unmatchedReplies == 1)
    #expect(ordinary.withLock { $0 } == 1)
    #expect(log.results.count == 2)
    subscription.dispose()
  }

  @Test func `the deadline is ten seconds by default`() {
    log.start(1, time.run { client.request(Ask(id: 1), as: Answer.self, matching: \.id) })
    time.advance(by: .milliseconds(9_999))
    #expect(log.results == [])
    time.advance(by: .milliseconds(1))
    #expect(log.results == ["1: timed out after 10.0 seconds"])
  }

  @Test func `a request with a deadline after more than 292 years has none`() throws {
    log.start(1, request(1, timeout: .seconds(Int64.max) * 18))
    time.advance(by: .seconds(60))
    #expect(log.results == [])
    try server.answer(1, "late")
    #expect(log.results == ["1: late"])
  }

  @Test func `the deadline follows the clock of the socket before that of the composer`() {
    let own = VirtualTime()
    let (client, server) = MockWebSocket.pair(latency: .zero, scheduler: own.scheduler)
    log.start(1, time.run { client.request(Ask(id: 1), as: Answer.self, matching: \.id) })
    time.advance(by: .seconds(60))
    #expect(log.results == [])
    own.advance(by: .seconds(10))
    #expect(log.results == ["1: timed out after 10.0 seconds"])
    #expect(server.state == .connected)
  }

  @Test func `a request that is disposed of has no result, and its late reply is counted`() throws {
    log.start(1, request(1))
    log.dispose(1)
    #expect(client.pendingRequests.metrics.waiting == 0)
    time.advance(by: .seconds(60))
    try server.answer(1)
    #expect(log.results == [])
    #expect(client.pendingRequests.metrics.lateReplies == 1)
  }

  @Test func `a key is free again after the end of its request`() throws {
    log.start(1, request(1))
    log.dispose(1)
    log.start(1, request(1))
    try server.answer(1, "again")
    #expect(log.results == ["1: again"])
    #expect(client.pendingRequests.metrics.lateReplies == 0)
  }

  // MARK: Failures

  @Test func `a request with the key of a waiting one fails, and the other one continues`() throws {
    log.start(1, request(1))
    log.start(1, request(1, "again"))
    #expect(log.results == ["1: key 1 in use"])
    #expect(server.asks.count == 1)
    try server.answer(1, "reply")
    #expect(log.results.last == "1: reply")
  }

  @Test func `a request that cannot be encoded is not sent`() {
    struct Endless: Encodable, Identifiable { let id: Int, size = Double.infinity }
    log.start(1, client.request(Endless(id: 1), as: Answer.self, matching: \.id))
    #expect(log.results == ["1: invalid request"])
    #expect(server.received.isEmpty && client.pendingRequests.metrics.waiting == 0)
  }

  @Test func `a request before the connection fails, and one after it does too`() {
    let (client, server) = MockWebSocket.pair(isOpen: false)
    for state in ["idle", "connecting", "disconnected"] {
      if state == "connecting" { client.connect() }
      if state == "disconnected" { client.close() }
      log.start(1, client.request(Ask(id: 1), as: Answer.self, matching: \.id))
      #expect(log.results.last == "1: not sent(\(state))")
    }
    #expect(client.pendingRequests.metrics == RequestMetrics())
    #expect(server.received.isEmpty)
  }

  @Test func `the end of the connection fails each request, by its cause`() {
    let ends: [(String, @Sendable (MockWebSocket, MockWebSocket) -> Void)] = [
      ("lost(closed 1000)", { client, _ in client.close() }),
      ("lost(closed 4000)", { _, server in server.close(code: 4_000) }),
      ("lost(cut)", { _, server in server.fail(.transport(.reset)) }),
      (
        "lost(\(WebSocketError.silent(after: .seconds(20))))",
        { client, _ in
          client.fail(.silent(after: .seconds(20)))
        }
      ),
    ]
    for (expected, end) in ends {
      let (client, server) = MockWebSocket.pair()
      let log = RequestLog()
      for id in 1...3 {
        log.start(id, client.request(Ask(id: id), as: Answer.self, matching: \.id))
      }
      end(client, server)
      #expect(log.results == (1...3).map { "\($0): \(expected)" })
      #expect(client.pendingRequests.metrics.waiting == 0)
    }
  }

  @Test func `requests to be sent again fail with a socket that does not reconnect`() {
    log.start(
      1,
      client.request(Ask(id: 1), as: Answer.self, matching: \.id, whenLost: .resend))
    client.fail(.connectionLost)
    #expect(log.results == ["1: lost(cut)"])
  }

  @Test func `replies that arrive during the close are received`() throws {
    let (client, server) = MockWebSocket.pair(
      latency: .seconds(1), scheduler: time.scheduler)
    for id in 1...2 {
      log.start(id, client.request(Ask(id: id), as: Answer.self, matching: \.id))
    }
    time.advance(by: .seconds(1))
    try server.answer(1, "in time")
    client.close()
    time.advance(by: .seconds(2))
    #expect(log.results == ["1: in time", "2: lost(closed 1000)"])
  }

  // MARK: Tasks

  @Test func `a request returns its reply to a task`() async throws {
    let (server, client) = (server, client)
    async let reply = client.request(Ask(id: 1), as: Answer.self, matching: \.id)
    for try await message in server.messages.values {
      try server.answer(try message.decode(Ask.self).id, "reply")
      break
    }
    #expect(try await reply == Answer(id: 1, text: "reply"))
  }

  @Test func `in an async context a request is a single where one is used`() async throws {
    let single: Single<Answer> = client.request(Ask(id: 1), as: Answer.self, matching: \.id)
    log.start(1, single)
    let answers = Locked<[Answer]>([])
    let subscription = client.request(Ask(id: 2), as: Answer.self, matching: \Header.id)
      .subscribe(onSuccess: { answer in answers.withLock { $0.append(answer) } })
    for id in 1...2 { try server.answer(id, "reply") }
    #expect(log.results == ["1: reply"])
    #expect(answers.withLock { $0 } == [Answer(id: 2, text: "reply")])
    subscription.dispose()
  }

  @Test func `a request throws its error in a task`() async throws {
    client.close()
    await #expect(throws: RequestError.notSent(.notConnected(.disconnected))) {
      try await client.request(Ask(id: 1), as: Answer.self, matching: \.id)
    }
  }

  @Test func `a cancelled task ends its request`() async throws {
    let client = client
    let task = Task { try await client.request(Ask(id: 1), as: Answer.self, matching: \.id) }
    for try await _ in server.messages.values { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try server.answer(1)
    #expect(client.pendingRequests.metrics == RequestMetrics(lateReplies: 1))
  }

  // MARK: Memory

  @Test func `a waiting request keeps its socket, and its end releases both`() throws {
    let end: [@Sendable (MockWebSocket) -> Void] = [
      { try? $0.answer(1) }, { $0.close() }, { _ in }, { $0.fail(.connectionLost) },
    ]
    for (index, end) in end.enumerated() {
      var (client, server): (MockWebSocket?, MockWebSocket) = MockWebSocket.pair()
      weak let released = client
      let log = RequestLog()
      if let client {
        log.start(
          1, time.run { client.request(Ask(id: 1), as: Answer.self, matching: \.id) })
      }
      client = nil
      #expect(released?.state == .connected)
      end(server)
      if index == 2 { time.advance(by: .seconds(10)) }
      #expect(log.results.count == 1)
      #expect(released == nil)
    }
  }
}

extension RequestMetrics {
  fileprivate init(lateReplies: Int) {
    self.init()
    self.lateReplies = lateReplies
  }
}
