import Testing

@testable import NIOIntegration

@Suite struct NegotiationTests {
  static let request =
    "GET /chat HTTP/1.1\r\nHost: a\r\nupgrade: h2c, WebSocket\r\nConnection: Upgrade\r\n\r\n"

  private func decide(_ text: String) -> Negotiation.Result {
    var negotiation = Negotiation()
    return negotiation.receive(Array(text.utf8))
  }

  @Test func `a request for a WebSocket is found at every split of its bytes`() {
    let bytes = Array((Self.request + "frames").utf8)
    for split in 0...bytes.count {
      var negotiation = Negotiation()
      let first = negotiation.receive(bytes[..<split])
      #expect((first == .undecided) == (split < Self.request.utf8.count), "\(split)")
      if first == .undecided { #expect(negotiation.receive(bytes[...]) == .webSocket, "\(split)") }
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n",
    "GET / HTTP/1.1\r\nX-Upgrade: websocket\r\n\r\n",
    "GET / HTTP/1.1\r\nUpgrade: websockets\r\n\r\n",
    "GET /?Upgrade:websocket HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nUpgrade: websocket\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET / HTTP/1.1\nUpgrade: websocket\r\n\r\n",
    "\n",
  ])
  func `any other request is HTTP`(text: String) {
    #expect(decide(text) == .http)
  }

  @Test func `empty lines before a request are ignored (RFC 9112, 2.2)`() {
    #expect(decide("\r\n") == .undecided)
    #expect(decide("\r\n\r\n") == .undecided)
    #expect(decide("\r\n" + Self.request) == .webSocket)
    #expect(decide("\r\n\r\nGET / HTTP/1.1\r\n\r\n") == .http)
    let bytes = Array(("\r\n\r\n" + Self.request).utf8)
    for split in 0..<bytes.count {
      var negotiation = Negotiation()
      #expect(negotiation.receive(bytes[..<split]) == .undecided, "\(split)")
      #expect(negotiation.receive(bytes[...]) == .webSocket, "\(split)")
    }
  }

  @Test func `a head of 16 KiB without an end is HTTP`() {
    let line = "GET / HTTP/1.1\r\nUpgrade: websocket\r\nX: "
    let missing = Negotiation.limit - line.utf8.count
    #expect(decide(line + String(repeating: "x", count: missing - 1)) == .undecided)
    #expect(decide(line + String(repeating: "x", count: missing)) == .http)
  }
}
