import Foundation
import TestSupport
import Testing

@testable import Sockets

extension HTTPRequestReader {
  /// Takes a request for a WebSocket off the front of `input`; nil when more bytes are needed.
  mutating func receiveUpgrade(
    _ input: inout UnsafeRawBufferPointer
  ) throws(HandshakeRefusal) -> ServerHandshake? {
    guard case .webSocket(let request)? = try receive(&input) else { return nil }
    return request
  }
}

@Suite(.workerPool) struct ServerHandshakeTests {
  private static let good: HTTPHeaders = [
    "Host": "server.example.com", "Upgrade": "websocket", "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Protocol": "chat, superchat", "Origin": "http://example.com",
  ]

  private func receive(
    _ parts: [[UInt8]]
  ) throws(HandshakeRefusal) -> (request: ServerHandshake?, rest: [UInt8]) {
    var reader = HTTPRequestReader(bodyLimit: nil)
    for (index, part) in parts.enumerated() {
      let (request, rest) = try part.withUnsafeBufferPointer { buffer throws(HandshakeRefusal) in
        var input = UnsafeRawBufferPointer(buffer)
        return (try reader.receiveUpgrade(&input), [UInt8](input))
      }
      if let request { return (request, rest + parts[(index + 1)...].joined()) }
    }
    return (nil, [])
  }

  private func receive(
    _ line: String = "GET /chat?a=b%20c&d HTTP/1.1",
    changing changes: [String: String?] = [:]
  ) throws(HandshakeRefusal) -> ServerHandshake? {
    var headers = Self.good
    for (name, value) in changes { headers[name] = value }
    return try receive([HTTPHead.bytes(line, headers)]).request
  }

  @Test func `1.3: the request of the RFC is read at every split, and the frames after it remain`()
    throws
  {
    let bytes = HTTPHead.bytes("GET /chat?a=b%20c&d HTTP/1.1", Self.good)
    let frame = Side.server.incoming(0x81, "x")
    for (head, tail) in (bytes + frame).splits {
      let (request, rest) = try receive([head, tail])
      #expect(request?.head.path == "/chat")
      #expect(request?.head.query == "a=b%20c&d")
      #expect(request?.subprotocols == ["chat", "superchat"])
      #expect(request?.head.headers["origin"] == "http://example.com")
      #expect(rest == frame)
    }
  }

  @Test func `4.2.2: the response has the fields of the RFC`() throws {
    let request = try #require(try receive())
    let answer = try request.accept(subprotocol: "chat", headers: ["X": "y"])
    #expect(
      String(decoding: answer, as: UTF8.self)
        == [
          "HTTP/1.1 101 Switching Protocols",
          "Upgrade: websocket",
          "Connection: Upgrade",
          "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
          "Sec-WebSocket-Protocol: chat",
          "X: y",
          "", "",
        ].joined(separator: "\r\n")
    )
  }

  @Test
  func `4.2.2: a subprotocol that was not offered and a header with a line break are refused`()
    throws
  {
    let request = try #require(try receive())
    #expect(throws: HandshakeError.invalidSubprotocol("x")) { try request.accept(subprotocol: "x") }
    #expect(throws: HandshakeError.invalidHeader(name: "X")) {
      try request.accept(headers: ["X": "a\r\nb: c"])
    }
  }

  @Test(arguments: [
    "POST / HTTP/1.1", "get / HTTP/1.1", "GET / HTTP/1.0", "GET /  HTTP/1.1", "GET HTTP/1.1",
    "GET chat HTTP/1.1", "GET  HTTP/1.1", "", "GET / HTTP/1.1 ",
  ])
  func `4.2.1: a request that is not a GET of HTTP 1.1 is answered with 400`(line: String) {
    let refusal = #expect(throws: HandshakeRefusal.self) { try receive(line) }
    #expect(refusal?.status == 400)
  }

  @Test(
    arguments: [
      ["Host": nil], ["Upgrade": nil], ["Upgrade": "h2c"], ["Connection": nil],
      ["Connection": "close"], ["Sec-WebSocket-Key": nil], ["Sec-WebSocket-Key": "AQID"],
      ["Sec-WebSocket-Key": "not base64"],
    ] as [[String: String?]]
  )
  func `4.2.1: a request without a required field is answered with 400`(changes: [String: String?])
  {
    let refusal = #expect(throws: HandshakeRefusal.self) { try receive(changing: changes) }
    #expect(refusal?.status == 400)
  }

  @Test func `a request with two Hosts or two keys is answered with 400`() {
    for name in ["Host", "Sec-WebSocket-Key"] {
      var headers = Self.good
      headers.add(name, "AQIDBAUGBwgJCgsMDQ4PEA==")
      let bytes = HTTPHead.bytes("GET / HTTP/1.1", headers)
      let refusal = #expect(throws: HandshakeRefusal.self) { try receive([bytes]) }
      #expect(refusal?.status == 400)
    }
  }

  @Test(arguments: [nil, "8", "14", "13, 8"])
  func `4.4: another version is answered with 426 and the supported version`(version: String?) {
    let refusal = #expect(throws: HandshakeRefusal.self) {
      try receive(changing: ["Sec-WebSocket-Version": version])
    }
    #expect(refusal == .upgradeRequired)
    #expect(refusal?.headers["Sec-WebSocket-Version"] == "13")
  }

  @Test func `a malformed head is answered with 400, an endless one with 431`() {
    for (bytes, status) in [
      (Array("GET / HTTP/1.1\r\nno colon\r\n\r\n".utf8), 400),
      ([UInt8](repeating: 0x61, count: 20_000), 431),
    ] {
      let refusal = #expect(throws: HandshakeRefusal.self) { try receive([bytes]) }
      #expect(refusal?.status == status)
    }
  }

  @Test func `a rejection is a complete response that ends the connection`() {
    #expect(
      String(decoding: HandshakeRefusal.badRequest("no").response(), as: UTF8.self)
        == [
          "HTTP/1.1 400 Bad Request",
          "Content-Type: text/plain; charset=utf-8",
          "Content-Length: 3",
          "Connection: close",
          "", "no\n",
        ].joined(separator: "\r\n")
    )
    #expect(
      String(decoding: HandshakeRefusal.upgradeRequired.response(), as: UTF8.self)
        == [
          "HTTP/1.1 426 Upgrade Required",
          "Upgrade: websocket",
          "Sec-WebSocket-Version: 13",
          "Content-Length: 0",
          "Connection: upgrade, close",
          "", "",
        ].joined(separator: "\r\n")
    )
  }

  // MARK: RFC 7692

  @Test func `9.1: malformed extensions are answered with 400`() {
    #expect(throws: HandshakeRefusal.badRequest("the extensions are not well-formed, or too many"))
    {
      try receive(changing: ["Sec-WebSocket-Extensions": "permessage-deflate;"])
    }
  }

  @Test(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."))
  func `5: the first valid compression offer is accepted, in one header`() throws {
    func answer(_ offer: String?) throws -> DeflateAnswer? {
      try receive(changing: ["Sec-WebSocket-Extensions": offer])?
        .deflate(for: .deflate(threshold: 7, windowBits: 10))
    }
    #expect(try answer(nil) == nil)
    #expect(try answer("unknown, x-webkit-deflate-frame") == nil)
    #expect(try answer("permessage-deflate; server_max_window_bits=99") == nil)
    let offer = """
      unknown; a=b, permessage-deflate; server_max_window_bits, \
      permessage-deflate; client_max_window_bits; server_no_context_takeover
      """
    let accepted = try #require(try answer(offer))
    #expect(
      accepted.header
        == "permessage-deflate; server_no_context_takeover; client_max_window_bits=10"
    )
    let expected = MessageDeflate(
      threshold: 7,
      sending: .init(bits: 10, isKept: false),
      receiving: .init(bits: 10, isKept: true)
    )
    #expect(accepted.deflate == expected)

    let request = try #require(try receive(changing: ["Sec-WebSocket-Extensions": offer]))
    let head = String(decoding: try request.accept(deflate: accepted), as: UTF8.self)
    #expect(head.contains("\r\nSec-WebSocket-Extensions: \(accepted.header)\r\n"))
    #expect(try !String(decoding: request.accept(), as: UTF8.self).contains("Extensions"))
  }

  @Test func `our client accepts the response of our server`() throws {
    let url = try WebSocketURL("ws://[::1]:9001/a?b")
    var client = try ClientHandshake(url, subprotocols: ["a", "b"], random: fixedKeys)
    let request = try #require(try receive([client.request]).request)
    #expect(request.head.path == "/a")
    #expect(request.head.query == "b")
    #expect(request.head.headers["Host"] == "[::1]:9001")
    let bytes = try request.accept(subprotocol: request.subprotocols.last)
    let answer = try bytes.withUnsafeBytes { bytes in
      var input = bytes
      return try client.receive(&input)
    }
    #expect(answer?.subprotocol == "b")
  }
}
