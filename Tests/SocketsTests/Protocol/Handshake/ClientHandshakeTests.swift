import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct ClientHandshakeTests {
  /// The nonce of the example in the RFC, so that the server's example fits.
  private static let random: RandomBytes = { $0.copyBytes(from: Array("the sample nonce".utf8)) }

  private static let good: HTTPHeaders = [
    "Upgrade": "websocket", "Connection": "Upgrade",
    "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
  ]

  private func handshake(
    _ url: String = "ws://server.example.com/chat",
    subprotocols: [String] = [],
    compression: WebSocketCompression? = nil,
    headers: HTTPHeaders = [:]
  ) throws -> ClientHandshake {
    try ClientHandshake(
      WebSocketURL(url),
      subprotocols: subprotocols,
      compression: compression,
      headers: headers,
      random: Self.random
    )
  }

  /// The result of a response in these parts, and the remaining bytes.
  private func answer(
    _ handshake: ClientHandshake,
    _ parts: [[UInt8]]
  ) throws(HandshakeError) -> (answer: ClientHandshake.Answer?, rest: [UInt8]) {
    var handshake = handshake
    for (index, part) in parts.enumerated() {
      let (answer, rest) = try part.withUnsafeBufferPointer { buffer throws(HandshakeError) in
        var input = UnsafeRawBufferPointer(buffer)
        return (try handshake.receive(&input), [UInt8](input))
      }
      if let answer { return (answer, rest + parts[(index + 1)...].joined()) }
    }
    return (nil, [])
  }

  private func answer(
    _ handshake: ClientHandshake,
    _ line: String = "HTTP/1.1 101 Switching Protocols",
    changing changes: [String: String?] = [:]
  ) throws(HandshakeError) -> ClientHandshake.Answer? {
    var headers = Self.good
    for (name, value) in changes { headers[name] = value }
    return try answer(handshake, [HTTPHead.bytes(line, headers)]).answer
  }

  @Test func `4.1: the request has the fields of the RFC before custom ones`() throws {
    let handshake = try handshake(
      "wss://example.com:8443/a%20b?c=d",
      subprotocols: ["chat", "superchat"],
      headers: ["Origin": "http://example.com", "Cookie": "a=b"]
    )
    #expect(
      String(decoding: handshake.request, as: UTF8.self)
        == [
          "GET /a%20b?c=d HTTP/1.1",
          "Host: example.com:8443",
          "Upgrade: websocket",
          "Connection: Upgrade",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Protocol: chat, superchat",
          "Origin: http://example.com",
          "Cookie: a=b",
          "", "",
        ].joined(separator: "\r\n")
    )
  }

  @Test func `a Host of the caller replaces that of the URL`() throws {
    let request = try handshake(headers: ["host": "inner"]).request
    let head = try HTTPHead(parsing: Array(request))
    #expect(head.headers.values(of: "Host") == ["inner"])
  }

  @Test(
    arguments: [
      ["X": "a\r\nEvil: b"], ["X\r\nEvil": "b"], ["X Y": "b"], ["Upgrade": "h2c"],
      ["sec-websocket-key": "mine"], ["Sec-WebSocket-Extensions": "permessage-deflate"],
    ] as [HTTPHeaders]
  )
  func `headers that break the head or belong to the handshake are refused`(headers: HTTPHeaders) {
    let name = headers.fields[0].name
    #expect(throws: HandshakeError.invalidHeader(name: name)) { try handshake(headers: headers) }
  }

  @Test func `ambiguous headers of the caller are refused`() throws {
    var hosts: HTTPHeaders = ["Host": "a.example"]
    _ = try handshake(headers: hosts)
    hosts.add("host", "b.example")
    #expect(throws: HandshakeError.invalidHeader(name: "Host")) { try handshake(headers: hosts) }
    var lengths: HTTPHeaders = ["Content-Length": "1"]
    _ = try handshake(headers: lengths)
    lengths.add("Transfer-Encoding", "chunked")
    #expect(throws: HandshakeError.invalidHeader(name: "Transfer-Encoding")) {
      try handshake(headers: lengths)
    }
  }

  @Test func `4.1: status 101 of HTTP 1.0 is refused`() throws {
    let bytes = Array(
      [
        "HTTP/1.0 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "", "",
      ].joined(separator: "\r\n").utf8
    )
    let handshake = try handshake()
    #expect(throws: HandshakeError.malformedHead("status 101 is not of HTTP/1.1")) {
      try answer(handshake, [bytes])
    }
  }

  @Test(arguments: [["a b"], [""], ["a\r\nEvil: b"], ["a,b"], ["a", "b", "a"]])
  func `4.1: subprotocols are unique tokens`(names: [String]) {
    let wrong = names.count == 3 ? "a" : names[0]
    #expect(throws: HandshakeError.invalidSubprotocol(wrong)) { try handshake(subprotocols: names) }
  }

  @Test
  func `1.3: the response of the RFC is accepted at every split, and the frames after it remain`()
    throws
  {
    let bytes = Array(
      [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "Sec-WebSocket-Protocol: chat",
        "", "",
      ].joined(separator: "\r\n").utf8
    )
    let frame: [UInt8] = [0x81, 0x01, 0x61]
    let handshake = try handshake(subprotocols: ["chat", "superchat"])
    for (head, tail) in (bytes + frame).splits {
      let (answer, rest) = try answer(handshake, [head, tail])
      #expect(answer?.subprotocol == "chat")
      #expect(answer?.headers["upgrade"] == "websocket")
      #expect(rest == frame)
    }
    let single = try answer(handshake, (bytes + frame).map { [$0] })
    #expect(single.answer != nil)
    #expect(single.rest == frame)
  }

  @Test func `4.1: case and other elements are ignored in Upgrade and Connection`() throws {
    let answer = try answer(
      handshake(),
      "HTTP/1.1 101",
      changing: ["Upgrade": "WebSocket", "Connection": "keep-alive, UPGRADE"]
    )
    #expect(answer?.subprotocol == nil)
  }

  @Test(
    arguments: [
      (["Upgrade": nil], .notUpgraded(header: "Upgrade")),
      (["Upgrade": "h2c"], .notUpgraded(header: "Upgrade")),
      (["Connection": nil], .notUpgraded(header: "Connection")),
      (["Connection": "close"], .notUpgraded(header: "Connection")),
      (["Sec-WebSocket-Accept": nil], .badAccept),
      (["Sec-WebSocket-Accept": "S3PPLMBITXAQ9KYGZZHZRBK+XOO="], .badAccept),
      (["Sec-WebSocket-Protocol": "other"], .unexpectedSubprotocol("other")),
      (["Sec-WebSocket-Protocol": "Chat"], .unexpectedSubprotocol("Chat")),
      (["Sec-WebSocket-Protocol": "chat, superchat"], .unexpectedSubprotocol("chat, superchat")),
      (
        ["Sec-WebSocket-Extensions": "permessage-deflate"],
        .unexpectedExtensions("permessage-deflate")
      ),
    ] as [([String: String?], HandshakeError)]
  )
  func `4.1: a 101 response that does not match the request is refused`(
    changes: [String: String?],
    error: HandshakeError
  ) throws {
    let handshake = try handshake(subprotocols: ["chat", "superchat"])
    #expect(throws: error) { try answer(handshake, changing: changes) }
  }

  @Test func `RFC 9110, 15.2: interim responses are skipped`() throws {
    let wait = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
    let good = HTTPHead.bytes("HTTP/1.1 101 Switching Protocols", Self.good)
    let bytes = Array(wait.utf8) + good
    for (first, second) in bytes.splits {
      #expect(try answer(handshake(), [first, second]).answer != nil)
    }
    let refused = Array((wait + "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n").utf8)
    #expect(
      throws: HandshakeError.rejected(
        status: 403, reason: "No", headers: ["Content-Length": "0"], body: Data()
      )
    ) { try answer(handshake(), [refused]) }
  }

  @Test func `endless interim responses, or one with more than 100 fields, are malformed`() throws {
    let wait = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    let good = HTTPHead.bytes("HTTP/1.1 101 Switching Protocols", Self.good)
    let patient = Array(repeatElement(wait, count: 16).joined()) + good
    #expect(try answer(handshake(), [patient]).answer != nil)
    let error = HandshakeError.malformedHead("there are more than 16 answers that say wait")
    for parts in [[wait + patient], (wait + patient).map { [$0] }] {
      #expect(throws: error) { _ = try answer(handshake(), parts) }
    }
    let fields = "HTTP/1.1 101 Yes\r\n" + String(repeating: "a:\r\n", count: 101)
    #expect(throws: HandshakeError.tooManyFields(limit: 100)) {
      _ = try answer(handshake(), [Array(fields.utf8)])
    }
  }

  @Test func `a rejection has status, reason, headers and body`() throws {
    let head =
      "HTTP/1.1 401 No way\r\nWWW-Authenticate: Basic\r\nVia: a\r\nVia: b\r\n"
      + "Content-Length: 3\r\n\r\n"
    let headers: HTTPHeaders = ["WWW-Authenticate": "Basic", "Via": "a", "via": "b"]
    let error = #expect(throws: HandshakeError.self) {
      try answer(handshake(), [Array((head + "why").utf8)])
    }
    guard case .rejected(let status, let reason, let received, let body)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(status == 401)
    #expect(reason == "No way")
    #expect(body == Data("why".utf8))
    #expect(received["via"] == headers["Via"])
    #expect(received["www-authenticate"] == "Basic")
  }

  @Test(arguments: ["Content-Length: 11", "Connection: close"])
  func `a rejection with a later body is complete with the body, or at the end`(
    header: String
  ) throws {
    let bytes = Array("HTTP/1.1 401 No way\r\n\(header)\r\n\r\nnot welcome".utf8)
    for (first, second) in bytes.splits {
      var client = try handshake()
      var errors: [HandshakeError] = []
      for part in [first, second] where errors.isEmpty {
        part.withUnsafeBytes { bytes in
          var input = bytes
          do throws(HandshakeError) {
            _ = try client.receive(&input)
          } catch {
            errors.append(error)
          }
        }
      }
      if errors.isEmpty, let refusal = client.refusal { errors.append(refusal) }
      guard case .rejected(401, _, _, let body) = errors.first else {
        Issue.record("\(errors)")
        return
      }
      #expect(body == Data("not welcome".utf8))
    }
  }

  @Test func `a rejection with a truncated body is a rejection`() throws {
    var client = try handshake()
    let part = Array("HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nla".utf8)
    let answer = try part.withUnsafeBytes { bytes in
      var input = bytes
      return try client.receive(&input)
    }
    #expect(answer == nil)
    let refusal = HandshakeError.rejected(
      status: 503,
      reason: "Busy",
      headers: ["Content-Length": "5"],
      body: Data("la".utf8)
    )
    #expect(client.refusal == refusal)
  }

  @Test func `at most 64 KiB of a rejection's body are kept`() throws {
    let bytes = Array("HTTP/1.0 503 \r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: 70_000)
    let body = Data(repeating: 0x61, count: 65_536)
    #expect(throws: HandshakeError.rejected(status: 503, reason: "", headers: [:], body: body)) {
      try answer(handshake(), [bytes])
    }
  }

  @Test(arguments: ["SSH-2.0-OpenSSH_9.6\r\n", "\u{15}\u{2}", "<html>", "HTTP/2 101\r\n\r\n"])
  func `a response that is not HTTP is refused at once`(text: String) throws {
    #expect(throws: HandshakeError.notHTTP) { try answer(handshake(), [Array(text.utf8)]) }
  }

  @Test(arguments: [
    [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x0A], [0x16, 0x03, 0x01], [0x15, 0x03],
  ])
  func `a response that is a TLS record is refused with its second byte`(record: [UInt8]) throws {
    for (first, second) in record.splits {
      #expect(throws: HandshakeError.speaksTLS) { try answer(handshake(), [first, second]) }
    }
    let begun = try answer(handshake(), [[record[0]]])
    #expect(begun.answer == nil && begun.rest.isEmpty)
  }

  @Test(arguments: [
    "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 1", "HTTP/1.1 abc x", "HTTP/1.1  101 x", "HTTP/1.1 +12",
  ])
  func `a status that is not three digits is refused`(line: String) throws {
    #expect(throws: HandshakeError.malformedHead("the status is not a number of three digits")) {
      try answer(handshake(), line)
    }
  }

  // MARK: RFC 7692

  private static let hasZlib = ConditionTrait.enabled(
    if: MessageDeflate.isAvailable,
    "There is no zlib."
  )

  @Test(hasZlib)
  func `5: compression is offered only when it is configured`() throws {
    func offer(_ compression: WebSocketCompression?) throws -> [String] {
      let request = try handshake(compression: compression).request
      return String(decoding: request, as: UTF8.self)
        .split(separator: "\r\n").filter { $0.hasPrefix("Sec-WebSocket-Extensions") }.map(
          String.init)
    }
    #expect(try offer(nil) == [])
    #expect(
      try offer(.deflate()) == [
        """
        Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=12; \
        client_max_window_bits=12, permessage-deflate; client_max_window_bits=12
        """
      ]
    )
  }

  @Test(
    hasZlib,
    arguments: [
      ("permessage-deflate", 12, true, 15, true),
      ("permessage-deflate; client_max_window_bits=15", 12, true, 15, true),
      ("permessage-deflate; client_max_window_bits=9; server_max_window_bits=8", 9, true, 8, true),
      ("permessage-deflate; client_no_context_takeover", 12, false, 15, true),
      ("permessage-deflate; server_no_context_takeover", 12, true, 15, false),
      ("permessage-deflate; client_max_window_bits=8", 8, true, 15, true),
      ("permessage-deflate; server_max_window_bits=\"10\"", 12, true, 10, true),
    ] as [(String, Int, Bool, Int, Bool)]
  )
  func `7.1: the client uses the parameters of the server's answer`(
    header: String,
    sentBits: Int,
    sendsKept: Bool,
    receivedBits: Int,
    receivesKept: Bool
  ) throws {
    let handshake = try handshake(compression: .deflate(threshold: 7))
    let answer = try answer(handshake, changing: ["Sec-WebSocket-Extensions": header])
    let expected = MessageDeflate(
      threshold: 7,
      sending: .init(bits: sentBits, isKept: sendsKept),
      receiving: .init(bits: receivedBits, isKept: receivesKept)
    )
    #expect(answer?.deflate == expected)
  }

  @Test(hasZlib) func `5: a server can decline compression`() throws {
    let answer = try answer(handshake(compression: .deflate()))
    #expect(answer != nil && answer?.deflate == nil)
  }

  @Test(
    hasZlib,
    arguments: [
      "permessage-deflate; unknown", "permessage-deflate; server_max_window_bits",
      "permessage-deflate; client_max_window_bits", "permessage-deflate; server_max_window_bits=16",
      "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; =", "permessage-deflate;", "a b",
    ]
  )
  func `5.1, 9.1: an invalid answer to the compression offer is refused`(header: String) throws {
    let handshake = try handshake(compression: .deflate())
    #expect(throws: HandshakeError.invalidExtensions(header)) {
      try answer(handshake, changing: ["Sec-WebSocket-Extensions": header])
    }
  }

  @Test(
    hasZlib,
    arguments: ["x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "a, b"]
  )
  func `9.1: an extension that was not offered, or an additional one, is refused`(header: String)
    throws
  {
    for compression in [nil, WebSocketCompression.deflate()] {
      let handshake = try handshake(compression: compression)
      #expect(throws: HandshakeError.unexpectedExtensions(header)) {
        try answer(handshake, changing: ["Sec-WebSocket-Extensions": header])
      }
    }
    let handshake = try handshake()
    #expect(throws: HandshakeError.unexpectedExtensions("permessage-deflate")) {
      try answer(handshake, changing: ["Sec-WebSocket-Extensions": "permessage-deflate"])
    }
  }

  @Test func `each handshake error has a description of its own`() {
    let errors: [HandshakeError] = [
      .rejected(status: 401, reason: "", headers: [:], body: Data()), .notHTTP, .speaksTLS,
      .malformedHead("x"), .headTooLong(limit: 1), .tooManyFields(limit: 1),
      .notUpgraded(header: "Upgrade"), .badAccept,
      .unexpectedSubprotocol("x"), .unexpectedExtensions("x"), .invalidExtensions("x"),
      .connectionClosed,
      .invalidHeader(name: "a\r\nb"), .invalidSubprotocol("a\nb"),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.allSatisfy { !$0.description.contains { $0.isNewline } })
  }
}
