import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("The admission of a server", .workerPool) struct RequestHandlerTests {
  private func request(_ headers: String = "") throws -> ServerHandshake {
    var bytes = RawClient.request
    bytes.removeLast()
    return try Array((bytes + headers + "\r\n").utf8).withUnsafeBytes { bytes in
      var input = bytes
      var reader = HTTPRequestReader(bodyLimit: nil)
      return try #require(try reader.receiveUpgrade(&input))
    }
  }

  private func answer(
    _ headers: String = "",
    _ configure: (inout WebSocketAdmission) -> Void
  ) async throws -> Acceptance {
    var admission = WebSocketAdmission()
    configure(&admission)
    let configuration = WebSocketConfiguration(
      headers: ["Server": "test"], subprotocols: ["a", "b"])
    let requestHandler = RequestHandler(configuration, admission)
    switch try requestHandler.handle(try request(headers), nil) {
    case .accepted(let acceptance): return acceptance
    case .ask(let question):
      switch await question.answer() {
      case .accept(let acceptance): return acceptance
      case .refuse(let refusal, _): throw refusal
      case .respond: break
      }
    case .needsBytes, .send: break
    }
    throw RxError.unknown
  }

  private func refusal(
    _ headers: String = "",
    _ configure: (inout WebSocketAdmission) -> Void
  ) async throws -> HandshakeRefusal {
    try #require(
      await #expect(throws: HandshakeRefusal.self) { _ = try await answer(headers, configure) })
  }

  // MARK: Decisions

  @Test func `the default admission accepts all clients, with the server's preferred subprotocol`()
    async throws
  {
    let offer = "Sec-WebSocket-Protocol: c, b, a\r\n"
    #expect(try await answer(offer) { _ in }.agreement.subprotocol == "a")
    #expect(try await answer("Sec-WebSocket-Protocol: c\r\n") { _ in }.agreement.subprotocol == nil)
    #expect(try await answer { _ in }.agreement.subprotocol == nil)
  }

  @Test func `an admission closure receives path, query, headers and subprotocols`() async throws {
    _ = try await answer("Cookie: id=1\r\nSec-WebSocket-Protocol: b, a\r\n") { admission in
      admission.decide = { request in
        #expect(request.path == "/chat" && request.query == "room=1")
        #expect(request.headers["cookie"] == "id=1")
        #expect(request.subprotocols == ["b", "a"])
        return .accept()
      }
    }
  }

  @Test func `an admission closure chooses subprotocol and headers`() async throws {
    let acceptance = try await answer("Sec-WebSocket-Protocol: b, c\r\n") { admission in
      admission.decide = { _ in .accept(subprotocol: "c", headers: ["Set-Cookie": "id=2"]) }
    }
    #expect(acceptance.agreement.subprotocol == "c")
    let head = String(decoding: acceptance.response, as: UTF8.self)
    #expect(head.hasPrefix("HTTP/1.1 101 "))
    #expect(head.contains("\r\nSec-WebSocket-Protocol: c\r\n"))
    #expect(head.contains("\r\nServer: test\r\nSet-Cookie: id=2\r\n"))
  }

  @Test(
    arguments: [
      .accept(subprotocol: "d"), .accept(headers: ["Upgrade": "h2c"]),
      .accept(headers: ["X": "1\r\nSet-Cookie: id=3"]), .refuse(status: 101), .refuse(status: 200),
      .refuse(status: 1_000), .refuse(status: 401, headers: ["X": "1\r\n\r\nHTTP/1.1 200"]),
    ] as [WebSocketDecision]
  )
  func `an invalid decision is answered with 500`(decision: WebSocketDecision)
    async throws
  {
    let refusal = try await refusal { $0.decide = { _ in decision } }
    #expect(refusal.status == 500 && refusal.headers.fields.isEmpty)
    #expect(refusal.reason == "Internal Server Error" && !refusal.body.isEmpty)
  }

  @Test func `a rejection has a status, a reason, headers and a body`() async throws {
    let refusal = try await refusal { admission in
      admission.decide = { _ in
        .refuse(status: 401, headers: ["WWW-Authenticate": "Bearer"], body: "who are you?\n")
      }
    }
    let answer = String(decoding: refusal.response(), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\n"))
    #expect(answer.hasSuffix("\r\nContent-Length: 13\r\nConnection: close\r\n\r\nwho are you?\n"))
    #expect(
      try await self.refusal { $0.decide = { _ in .refuse(status: 418) } }.reason == "Refused")
  }

  @Test func `a full server answers with 503`() throws {
    var handshake = RequestLoop(RequestHandler(.init()), refusal: .atCapacity)
    let refusal = #expect(throws: HandshakeRefusal.self) {
      try Array(RawClient.request.utf8).withUnsafeBytes { bytes in
        var input = bytes
        _ = try handshake.receive(&input)
      }
    }
    #expect(refusal?.status == 503 && refusal?.body == "too many connections\n")
  }

  // MARK: Origins

  @Test(
    arguments: [
      ("Origin: https://example.com\r\n", true), ("Origin: HTTPS://EXAMPLE.com\r\n", true),
      ("Origin: http://localhost:3000\r\n", true), ("", true),
      ("Origin: http://example.com\r\n", false), ("Origin: https://example.com:8443\r\n", false),
      ("Origin: https://example.com.evil.test\r\n", false),
      ("Origin: https://evil.test/https://example.com\r\n", false), ("Origin: null\r\n", false),
      ("Origin: \r\n", false),
      ("Origin: https://example.com\r\nOrigin: https://evil.test\r\n", false),
    ]
  )
  func `pages of allowed origins can connect`(header: String, mayConnect: Bool)
    async throws
  {
    let configure: (inout WebSocketAdmission) -> Void = { admission in
      admission.origins = .only(["https://example.com", "http://localhost:3000"])
      if !mayConnect {
        admission.decide = { _ in
          Issue.record("asked")
          return .accept()
        }
      }
    }
    if mayConnect {
      _ = try await answer(header, configure)
    } else {
      #expect(try await refusal(header, configure).status == 403)
    }
  }

  @Test func `programs without an origin can be rejected too`() async throws {
    let origins = WebSocketOrigins.only(["https://example.com"], allowsNone: false)
    #expect(try await refusal { $0.origins = origins }.status == 403)
    _ = try await answer("Origin: https://example.com\r\n") { $0.origins = origins }
    _ = try await answer("Origin: https://anywhere.test\r\n") { _ in }
  }
}
