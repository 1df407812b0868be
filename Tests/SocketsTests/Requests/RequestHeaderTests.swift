import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Replies of several types in one envelope, like that of JSON-RPC.
@Suite("A request whose reply has its key in a header", .workerPool)
struct RequestHeaderTests {
  struct Call: Codable, Identifiable { let id: Int, method: String }
  struct Result<Value: Codable & Sendable>: Codable { let result: Value }

  private let time = VirtualTime()
  private let log = RequestLog()
  private let pair = MockWebSocket.pair()
  private var client: MockWebSocket { pair.client }
  private var server: MockWebSocket { pair.server }

  private func call<Value: Codable & Sendable>(_ id: Int, as type: Value.Type) -> Single<Answer> {
    time.run {
      client.request(
        Call(id: id, method: "m"), as: Result<Value>.self, matching: \Header.id)
    }
    .map { Answer(id: id, text: "\($0.result)") }
  }

  @Test func `replies of several types are found by one key`() throws {
    log.start(1, call(1, as: Int.self))
    log.start(2, call(2, as: [String].self))
    try server.send(#"{"id":2,"result":["a"]}"#)
    try server.send(#"{"id":1,"result":5}"#)
    #expect(log.results == [#"2: ["a"]"#, "1: 5"])
  }

  @Test func `a reply of another type fails its request, and no other one`() throws {
    let ordinary = Locked(0)
    let subscription = client.messages.subscribe(onNext: { _ in ordinary.withLock { $0 += 1 } })
    log.start(1, call(1, as: Int.self))
    log.start(2, call(2, as: Int.self))
    try server.send(#"{"id":1,"error":{"code":-32601}}"#)
    #expect(log.results == ["1: invalid reply"])
    try server.send(#"{"id":2,"result":5}"#)
    #expect(log.results.last == "2: 5")
    #expect(ordinary.withLock { $0 } == 0)
    subscription.dispose()
  }

  @Test func `without a header a message of another type is an ordinary one`() throws {
    let ordinary = Locked(0)
    let subscription = client.messages.subscribe(onNext: { _ in ordinary.withLock { $0 += 1 } })
    let request = time.run {
      client.request(Ask(id: 1), as: Answer.self, matching: \.id, timeout: .seconds(1))
    }
    log.start(1, request)
    try server.send(#"{"id":1,"error":"unknown"}"#)
    #expect(ordinary.withLock { $0 } == 1 && log.results == [])
    time.advance(by: .seconds(1))
    #expect(log.results == ["1: timed out after 1.0 seconds"])
    subscription.dispose()
  }

  @Test func `a key is used once in a header, whatever the type of the reply and the decoder`() {
    log.start(1, call(1, as: Int.self))
    log.start(1, call(1, as: String.self))
    let other = client.request(
      Ask(id: 1), as: Answer.self, matching: \Header.id, decoder: JSONDecoder())
    log.start(1, other)
    #expect(log.results == ["1: key 1 in use", "1: key 1 in use"])
  }

  @Test func `equal keys of different headers belong to different requests`() throws {
    struct Ticket: Codable, Hashable { let id: Int }
    log.start(1, call(1, as: Int.self))
    let other = time.run {
      client.request(Ask(id: 1), as: Answer.self, matching: \.id)
    }
    log.start(2, other)
    try server.send(#"{"id":1,"text":"own"}"#)
    try server.send(#"{"id":1,"text":"own"}"#)
    // The header was used first, and its request takes the first message.
    #expect(log.results == ["1: invalid reply", "2: own"])
  }

  @Test func `the decoder of a request decodes its header and its reply`() throws {
    struct Slow: Decodable { let requestId: Int, text: String }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let request = client.request(
      Ask(id: 1), as: Slow.self, matching: \.requestId, decoder: decoder)
    log.start(1, request.map { Answer(id: $0.requestId, text: $0.text) })
    try server.send(#"{"request_id":1,"text":"snake"}"#)
    #expect(log.results == ["1: snake"])
  }

  @Test func `keys of any type and place are found`() throws {
    struct Envelope: Codable { struct Body: Codable { let key: String? }; let body: Body }
    struct Text: Codable, Identifiable { let id: String? }
    let request = client.request(
      Text(id: "a"), as: Envelope.self, matching: \.body.key)
    log.start(1, request.map { Answer(id: 1, text: $0.body.key ?? "") })
    try server.send(#"{"body":{"key":null}}"#)
    try server.send(Data(#"{"body":{"key":"a"}}"#.utf8))
    #expect(log.results == ["1: a"])
  }

  @Test func `each message is decoded once for 2,000 requests`() throws {
    /// Counts how often it is decoded.
    struct Counted: Decodable {
      static let count = Locked(0)
      let id: Int

      init(from decoder: any Decoder) throws {
        Self.count.withLock { $0 += 1 }
        id = try Header(from: decoder).id
      }
    }
    for id in 0..<2_000 {
      log.start(
        id, client.request(Ask(id: id), as: Answer.self, matching: \Counted.id))
    }
    for id in (0..<2_000).reversed() { try server.answer(id, "reply") }
    #expect(log.results == (0..<2_000).reversed().map { "\($0): reply" })
    #expect(Counted.count.withLock { $0 } == 2_000)
    // Without a request that waits, no message is decoded.
    try server.answer(0)
    #expect(Counted.count.withLock { $0 } == 2_000)
    #expect(client.pendingRequests.metrics == RequestMetrics())
  }
}
