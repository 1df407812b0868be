import Foundation
import TestSupport
import Testing

@testable import Sockets

/// Both sides of a WebSocket in memory, from the handshake to the close: each test covers client
/// and server.
@Suite(.workerPool) struct ExchangeTests {
  private struct Pair: ~Copyable {
    var client: Session
    var server: Session
    var request: ServerHandshake
    var subprotocol: String?
    /// The number of bytes in both directions.
    var count = 0

    /// Delivers the output of one side to the other, and returns its events.
    mutating func deliver(toServer: Bool = true) -> [Received] {
      let bytes = toServer ? client.drain() : server.drain()
      count += bytes.count
      return toServer ? server.events(in: bytes) : client.events(in: bytes)
    }
  }

  private func pair(
    _ offered: WebSocketCompression?,
    _ accepted: WebSocketCompression?,
    subprotocols: [String] = [],
    headers: HTTPHeaders = [:]
  ) throws -> Pair {
    var client = try ClientHandshake(
      WebSocketURL("ws://localhost/"),
      subprotocols: subprotocols,
      compression: offered,
      headers: headers,
      random: fixedKeys
    )
    var server = HTTPRequestReader(bodyLimit: nil)
    let request = try #require(
      try client.request.withUnsafeBytes { bytes in
        var input = bytes
        return try server.receiveUpgrade(&input)
      }
    )
    let deflate = accepted.flatMap { request.deflate(for: $0) }
    let bytes = try request.accept(subprotocol: request.subprotocols.last, deflate: deflate)
    let answer = try #require(
      try bytes.withUnsafeBytes { bytes in
        var input = bytes
        return try client.receive(&input)
      }
    )
    #expect((answer.deflate == nil) == (deflate == nil))
    var pair = Pair(
      client: Side.client.session(),
      server: Side.server.session(),
      request: request,
      subprotocol: answer.subprotocol
    )
    if let deflate = answer.deflate { pair.client.codec.use(deflate) }
    if let deflate { pair.server.codec.use(deflate.deflate) }
    return pair
  }

  private static let compressions: [WebSocketCompression?] =
    [nil] + DeflateParametersTests.compressions

  private static let messages: [WebSocketMessage] = [
    .text("hello"), .text(""), .text(String(repeating: "grüße 🎉 ", count: 1000)),
    .binary(Data()), .binary(Data((0...255).map { UInt8($0) })),
    .binary(Data(repeating: 7, count: 70_000)), .text("hello"),
  ]

  @Test
  func `a broadcast is compressed once per window, and inflated between other messages`()
    throws
  {
    for message in Self.messages {
      let prepared = PreparedMessage(message)
      let own = WebSocketMessage.text(String(repeating: "grüße 🎉 ", count: 300))
      var windows = Set<Int>()
      for offered in Self.compressions {
        for accepted in Self.compressions {
          var pair = try pair(offered, accepted)
          for sent in [own, nil, own, nil, nil, own] as [WebSocketMessage?] {
            if let sent { try pair.server.send(sent) } else { try pair.server.send(prepared) }
            let messages = pair.deliver(toServer: false).map { event -> WebSocketMessage? in
              if case .message(let message) = event { message } else { nil }
            }
            #expect(messages == [sent ?? message])
          }
          #expect(pair.server.codec.counts.messagesSent == 6)
          windows.insert(pair.count)
        }
      }
      #expect(prepared.compressions <= 8)
      #expect(windows.count > 1)
    }
  }

  @Test(arguments: compressions)
  func `F02, F03: texts and bytes are echoed whole for any compression of both sides`(
    offered: WebSocketCompression?
  ) throws {
    for accepted in Self.compressions {
      var pair = try pair(offered, accepted)
      for message in Self.messages + Self.messages {
        try pair.client.send(message)
        #expect(pair.deliver() == [.message(message)])
        try pair.server.send(message)
        #expect(pair.deliver(toServer: false) == [.message(message)])
      }
      let isCompressed = MessageDeflate.isAvailable && offered != nil && accepted != nil
      #expect((pair.count < 40_000) == isCompressed)
    }
  }

  @Test func `F01: headers, subprotocols and compression are negotiated together`() throws {
    var pair = try pair(
      .deflate(),
      .deflate(),
      subprotocols: ["v1", "v2"],
      headers: ["Authorization": "Bearer 1", "Origin": "http://localhost"]
    )
    #expect(pair.request.head.headers["authorization"] == "Bearer 1")
    #expect(pair.request.head.headers["origin"] == "http://localhost")
    #expect(pair.subprotocol == "v2")
    let text = String(repeating: "a", count: 1000)
    try pair.client.send(.text(text))
    if MessageDeflate.isAvailable { #expect(pair.client.codec.output.count < 100) }
    #expect(pair.deliver() == [.message(.text(text))])
  }

  @Test func `F08: text has both forms, bytes have no text`() throws {
    var pair = try pair(.deflate(threshold: 0), .deflate(threshold: 0))
    try pair.client.send(.text("grün"))
    try pair.client.send(.binary(Data("grün".utf8)))
    var received: [WebSocketMessage] = []
    for event in pair.deliver() {
      if case .message(let message) = event { received.append(message) }
    }
    #expect(received.map(\.text) == ["grün", nil])
    #expect(received.map(\.data) == [Data("grün".utf8), Data("grün".utf8)])
  }

  @Test func `F19: the peer of a close receives 1000, or code and reason, and answers`() throws {
    for (code, reason) in [(CloseCode.normal, ""), (4001, "genug für heute")] {
      var pair = try pair(nil, nil)
      pair.client.close(code, reason: reason)
      #expect(pair.deliver() == [.peerClosed(code: code, reason: reason)])
      #expect(pair.deliver(toServer: false) == [.peerClosed(code: code, reason: "")])
    }
  }
}
