import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct ProxyTests {
  @Test(
    arguments: [
      ("http://proxy.test:3128", "proxy.test", 3_128, nil),
      ("http://proxy.test", "proxy.test", 80, nil), ("proxy.test:8080/", "proxy.test", 8_080, nil),
      ("HTTP://[::1]:3128/", "::1", 3_128, nil),
      ("http://bücher.example:1", "xn--bcher-kva.example", 1, nil),
      ("http://xn--bcher-kva.example:1", "xn--bcher-kva.example", 1, nil),
      ("http://b%C3%BCcher.example:1", "xn--bcher-kva.example", 1, nil),
      ("http://pr%6Fxy_1.test:1", "proxy_1.test", 1, nil),
      ("http://me:secret@proxy.test:1", "proxy.test", 1, "me:secret"),
      ("http://me@proxy.test:1", "proxy.test", 1, "me:"),
      ("http://m%40e:s%3A%20t@proxy.test:1", "proxy.test", 1, "m@e:s: t"),
    ] as [(String, String, UInt16, String?)]
  )
  func `the URL of a proxy is parsed`(url: String, host: String, port: UInt16, credentials: String?)
    throws
  {
    let proxy = try Proxy(url)
    #expect(proxy.host == host && proxy.port == port)
    #expect(proxy.name == (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"))
    let basic = credentials.map { "Basic " + Data($0.utf8).base64EncodedString() }
    #expect(proxy.authorization == basic)
  }

  @Test(
    arguments: [
      ("", .invalidURL), ("http://", .invalidURL), ("http://proxy.test:0", .invalidURL),
      ("http://proxy.test:65536", .invalidURL), ("http://proxy test", .invalidURL),
      ("http://a%2Fb", .invalidURL), ("http://aא.test", .invalidURL),
      ("socks5://proxy.test:1080", .unsupportedScheme("socks5")),
      ("https://proxy.test", .unsupportedScheme("https")),
    ] as [(String, ProxyError)]
  )
  func `the URL of another kind of proxy is an error`(url: String, error: ProxyError) {
    #expect(throws: error) { try Proxy(url) }
  }

  // MARK: The environment

  private func host(_ url: String, _ environment: [String: String]) throws -> String? {
    try Proxy.inEnvironment(for: WebSocketURL(url), environment)?.host
  }

  @Test func `each scheme has its proxy variable, and all_proxy applies to both`() throws {
    let both = ["http_proxy": "http://plain", "https_proxy": "http://secure"]
    #expect(try host("ws://example.com/", both) == "plain")
    #expect(try host("wss://example.com/", both) == "secure")
    let all = ["all_proxy": "http://all", "https_proxy": "http://secure"]
    #expect(try host("ws://example.com/", all) == "all")
    #expect(try host("wss://example.com/", all) == "secure")
    #expect(try host("ws://example.com/", [:]) == nil)
  }

  @Test func `upper-case proxy variables follow lower-case ones, and empty ones are ignored`()
    throws
  {
    let capitals = ["HTTP_PROXY": "http://capital", "ALL_PROXY": "http://all"]
    #expect(try host("ws://example.com/", capitals) == "capital")
    #expect(try host("wss://example.com/", capitals) == "all")
    let mixed = ["http_proxy": "http://small", "HTTP_PROXY": "http://capital"]
    #expect(try host("ws://example.com/", mixed) == "small")
    let empty = ["http_proxy": "", "HTTP_PROXY": "http://capital"]
    #expect(try host("ws://example.com/", empty) == "capital")
    let program = ["HTTP_PROXY": "http://attacker", "REQUEST_METHOD": "GET"]
    #expect(try host("ws://example.com/", program) == nil)
  }

  @Test func `hosts of no_proxy and the local machine have no proxy`() throws {
    let environment = ["all_proxy": "http://all", "NO_PROXY": "example.com,10.0.0.0/8"]
    for host in ["example.com", "a.EXAMPLE.com", "10.1.2.3", "localhost", "127.0.0.1", "[::1]"] {
      #expect(try self.host("ws://\(host)/", environment) == nil)
    }
    // Other spellings of the same host: none bypasses the rules.
    for host in ["localhost.", "LOCALHOST.", "127.1", "127.0.0.1.", "[::ffff:127.0.0.1]"] {
      #expect(try self.host("ws://\(host)/", environment) == nil)
    }
    for host in ["example.com.", "10.1", "[::ffff:10.1.2.3]"] {
      #expect(try self.host("ws://\(host)/", environment) == nil)
    }
    for host in ["localhost.example", "128.0.0.1", "[::ffff:11.0.0.1]"] {
      #expect(try self.host("ws://\(host)/", environment) == "all")
    }
    #expect(try host("ws://example.org/", environment) == "all")
    let encoded = ["all_proxy": "http://all", "no_proxy": "bücher.example"]
    #expect(try host("ws://www.b\u{FC}cher.example/", encoded) == nil)
  }

  @Test func `an invalid proxy variable is an error, and not a direct connection`() {
    #expect(throws: ProxyError.unsupportedScheme("socks5h")) {
      try host("wss://example.com/", ["ALL_PROXY": "socks5h://localhost:9050"])
    }
  }

  @Test func `the password of a proxy is not logged`() {
    var configuration = WebSocketConfiguration()
    configuration.proxy = .http("http://me:secret@proxy.test")
    #expect(!"\(configuration)".contains("secret"))
  }

  @Test func `each proxy error has a description of one line`() {
    let errors: [ProxyError] = [
      .invalidURL, .unsupportedScheme("socks5"),
      .refused(proxy: "proxy.test:80", status: 407, reason: "Who are you?"), .notAProxy,
      .connectionClosed, .unreachable(proxy: "proxy.test:80", .reset),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(
      TransportError.proxy(
        .refused(proxy: "proxy.test:80", status: 407, reason: "Who are you?")
      ).description == "the proxy proxy.test:80 refused with status 407 Who are you?"
    )
    let refused = TransportError.refused(address: "127.0.0.1:3128")
    #expect(
      TransportError.proxy(.unreachable(proxy: "localhost:3128", refused)).description
        == "the proxy localhost:3128 is not reachable: 127.0.0.1:3128 refused the connection"
    )
  }
}
