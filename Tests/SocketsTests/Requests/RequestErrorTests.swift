import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("The errors of requests", .workerPool)
struct RequestErrorTests {
  static let errors: [RequestError] = [
    .invalidRequest(.notEncodable("Ask", reason: "endless")), .keyInUse("7"),
    .notSent(.backlogFull(limit: 3)), .connectionLost(.closed(code: .goingAway, reason: "noon")),
    .timedOut(after: .seconds(5)), .invalidReply(.notDecodable("Sum", reason: "no total")),
  ]

  @Test func `each error of a request has one line with its reason`() {
    #expect(
      Self.errors.map(\.description) == [
        "a Ask cannot be encoded: endless",
        "a request with the key 7 waits for its reply already",
        "the request was not sent: 3 messages wait for a connection already",
        "the connection ended before the reply: the WebSocket was closed with 1001: noon",
        "no reply within 5.0 seconds",
        "the reply is not understood: expected a Sum: no total",
      ])
    #expect(Self.errors.map(\.localizedDescription) == Self.errors.map(\.description))
  }

  @Test func `each error of a request is decoded as it was encoded`() throws {
    let data = try JSONEncoder().encode(Self.errors)
    #expect(try JSONDecoder().decode([RequestError].self, from: data) == Self.errors)
  }
}
