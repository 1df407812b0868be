import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct WebSocketURLTests {
  @Test(
    arguments: [
      ("ws://example.com", "example.com", 80, "/", "example.com"),
      ("ws://example.com/", "example.com", 80, "/", "example.com"),
      ("WSS://Example.com/a/b?c=d%20e&f", "Example.com", 443, "/a/b?c=d%20e&f", "Example.com"),
      ("ws://example.com?a=b/c", "example.com", 80, "/?a=b/c", "example.com"),
      ("ws://example.com:8080/x", "example.com", 8080, "/x", "example.com:8080"),
      ("ws://example.com:80", "example.com", 80, "/", "example.com"),
      ("wss://example.com:80", "example.com", 80, "/", "example.com:80"),
      ("ws://example.com:/", "example.com", 80, "/", "example.com"),
      ("ws://127.0.0.1:65535/", "127.0.0.1", 65535, "/", "127.0.0.1:65535"),
      ("ws://ex%61mple.com/%61", "example.com", 80, "/%61", "example.com"),
      ("ws://a_b-c.d~/", "a_b-c.d~", 80, "/", "a_b-c.d~"),
      ("ws://[::1]:9001/a", "::1", 9001, "/a", "[::1]:9001"),
      (
        "wss://[2001:DB8::8:800:200C:417A]", "2001:DB8::8:800:200C:417A", 443, "/",
        "[2001:DB8::8:800:200C:417A]"
      ),
      ("ws://[1:2:3:4:5:6:7:8]/", "1:2:3:4:5:6:7:8", 80, "/", "[1:2:3:4:5:6:7:8]"),
      ("ws://[::ffff:10.0.0.1]/", "::ffff:10.0.0.1", 80, "/", "[::ffff:10.0.0.1]"),
      ("ws://[fe80::1%25eth0]:1/", "fe80::1%eth0", 1, "/", "[fe80::1]:1"),
      ("ws://h//a//b", "h", 80, "//a//b", "h"),
      ("ws://h/a@b:c", "h", 80, "/a@b:c", "h"),
    ] as [(String, String, UInt16, String, String)]
  )
  func `3: a URL is split into its parts`(
    text: String,
    host: String,
    port: UInt16,
    target: String,
    authority: String
  ) throws {
    let url = try WebSocketURL(text)
    #expect(url.host == host)
    #expect(url.port == port)
    #expect(url.target == target)
    #expect(url.authority == authority)
    #expect(url.isSecure == text.lowercased().hasPrefix("wss"))
    #expect("\(url)" == (url.isSecure ? "wss://" : "ws://") + authority + target)
  }

  @Test(
    arguments: [
      ("", .notAbsolute), ("example.com", .notAbsolute), ("ws:/example.com", .notAbsolute),
      ("ws:example.com", .notAbsolute), ("/path", .notAbsolute), ("localhost:80", .notAbsolute),
      ("://h", .unsupportedScheme("")), ("http://h", .unsupportedScheme("http")),
      ("https://h", .unsupportedScheme("https")), ("wsx://h", .unsupportedScheme("wsx")),
      ("ws://", .missingHost), ("ws:///a", .missingHost), ("ws://:80", .missingHost),
      ("ws://?a", .missingHost),
      ("ws://h/a b", .invalidCharacter(" ")), ("ws://h/\r\nX: y", .invalidCharacter("\r")),
      ("ws://h/\n", .invalidCharacter("\n")), ("ws://h/\u{0}", .invalidCharacter("\0")),
      ("ws://h/é", .invalidCharacter("é")), ("wé://h", .invalidCharacter("é")),
      ("é", .invalidCharacter("é")), ("ws://h?é", .invalidCharacter("é")),
      ("ws://h/\u{301}", .invalidCharacter("\u{301}")),
      ("ws://h#\u{301}", .invalidCharacter("\u{301}")),
      ("ws://h/<", .invalidCharacter("<")),
      ("ws://h/#", .hasFragment), ("ws://h?a#b", .hasFragment), ("ws://h#b", .hasFragment),
      ("ws://user@h/", .hasUserInfo), ("ws://user:secret@h/", .hasUserInfo),
      ("ws://@h", .hasUserInfo),
      ("ws://h:0", .invalidPort("0")), ("ws://h:65536", .invalidPort("65536")),
      ("ws://h:-1", .invalidPort("-1")), ("ws://h:+1", .invalidPort("+1")),
      ("ws://h:8o", .invalidPort("8o")), ("ws://h:1:2", .invalidPort("1:2")),
      ("ws://h:99999999999999999999", .invalidPort("99999999999999999999")),
      ("ws://::1/", .missingHost), ("ws://h%/", .invalidHost("h%")),
      ("ws://h%4/", .invalidHost("h%4")), ("ws://h%zz/", .invalidHost("h%zz")),
      ("ws://h%C3/", .invalidHost("h%C3")), ("ws://h%20/", .invalidHost("h%20")),
      ("ws://h%0D%0A/", .invalidHost("h%0D%0A")), ("ws://h%2Fa/", .invalidHost("h%2Fa")),
      ("ws://.a.b/", .invalidHost(".a.b")), ("ws://a..b/", .invalidHost("a..b")),
      ("ws://./", .invalidHost(".")), ("ws://a../", .invalidHost("a..")),
      ("ws://a%00b/", .invalidHost("a%00b")),
      ("ws://%2Ea/", .invalidHost("%2Ea")), ("ws://[::1%25a%00]/", .invalidHost("[::1%25a%00]")),
      ("ws://a,b/", .invalidHost("a,b")), ("ws://a]/", .invalidHost("a]")),
      ("ws://[::1", .invalidHost("[::1")), ("ws://[::1]x", .invalidHost("[::1]x")),
      ("ws://[]/", .invalidHost("[]")), ("ws://[h]/", .invalidHost("[h]")),
      ("ws://[:::]/", .invalidHost("[:::]")), ("ws://[1::2::3]/", .invalidHost("[1::2::3]")),
      ("ws://[1:2:3]/", .invalidHost("[1:2:3]")), ("ws://[12345::]/", .invalidHost("[12345::]")),
      ("ws://[1:2:3:4:5:6:7:8:9]/", .invalidHost("[1:2:3:4:5:6:7:8:9]")),
      ("ws://[1:2:3:4:5:6:7::8]/", .invalidHost("[1:2:3:4:5:6:7::8]")),
      ("ws://[::1.2.3]/", .invalidHost("[::1.2.3]")),
      ("ws://[::1.2.3.256]/", .invalidHost("[::1.2.3.256]")),
      ("ws://[1.2.3.4::]/", .invalidHost("[1.2.3.4::]")),
      ("ws://[::1%25]/", .invalidHost("[::1%25]")),
      ("ws://[::g]/", .invalidHost("[::g]")), ("ws://[", .invalidHost("[")),
    ] as [(String, WebSocketURLError)]
  )
  func `a malformed URL is refused with its reason`(text: String, error: WebSocketURLError) {
    #expect(throws: error) { try WebSocketURL(text) }
  }

  // MARK: Names in other scripts

  @Test(
    arguments: [
      ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
      ("b%C3%BCcher.example", "xn--bcher-kva.example"),
      ("bu\u{308}cher.example", "xn--bcher-kva.example"),
      ("xn--bcher-kva.example", "xn--bcher-kva.example"),
      ("www.bücher.example.", "www.xn--bcher-kva.example."),
      // Nontransitional, as in browsers: not fass.de.
      ("faß.de", "xn--fa-hia.de"), ("日本語。ＪＰ", "xn--wgv71a119e.jp"), ("☃.net", "xn--n3h.net"),
      ("א1.com", "xn--1-zhc.com"), ("ｌｏｃａｌｈｏｓｔ", "localhost"), ("①②⑦.⓪.⓪.①", "127.0.0.1"),
      (String(repeating: "ü", count: 30) + ".de", "xn--tdaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.de"),
    ]
  )
  func `a name in any script is converted to ASCII`(host: String, ascii: String) throws {
    let url = try WebSocketURL("wss://\(host):8443/x")
    #expect(url.host == ascii)
    #expect(url.port == 8443 && url.target == "/x")
    #expect(url.authority == "\(ascii):8443")
    #expect("\(url)" == "wss://\(ascii):8443/x")
  }

  @Test(
    arguments: [
      // Labels that are empty, too long, or consist of ignored characters.
      "ü..a", "..ü", ".ü", "ü\u{3002}\u{3002}a", "\u{AD}", "\u{AD}.com",
      String(repeating: "ü", count: 64), String(repeating: "ü.", count: 120) + "de",
      String(repeating: "a", count: 64), String(repeating: "a.", count: 127) + "a",
      String(repeating: "ü", count: 100_000), String(repeating: "ü.", count: 50_000),
      // Both directions in a label, and characters that change the direction.
      "aא.com", "אa.com", "\u{202E}abc.com", "א\u{202D}ב.com", "١٢٧.0.0.1",
      // Encoded and not encoded, or encoded wrongly.
      "xn--a.ü", "xn--zzzzzz9999.ü", "xn--ü.de", "ab--ü.de", "xn--\u{FF0D}.com",
      // Characters that map to delimiters of a URL.
      "a\u{FF0F}b.com", "a\u{FF20}b.com", "a\u{FF1A}80", "a\u{FF03}b",
      "\u{FF05}\u{FF12}\u{FF10}.com",
      "\u{2100}.com", "a\u{2024}b.com", "ü%2Fb", "ü%40b", "ü%3A80", "ü%00", "ü%20b", "ü%25b",
      // Characters without an ASCII form.
      "\u{300}a.com", "\u{200D}ü.com", "\u{FFFD}.com", "\u{E000}.com", "a\u{A0}b.com", "a\u{2028}b",
      "-ü.de", "\u{10FFFF}", "[ü]", "[::1]ü", "%FF.com", "ü%zz",
    ]
  )
  func `a name without an ASCII form is refused`(host: String) {
    #expect(throws: WebSocketURLError.invalidHost(host)) { try WebSocketURL("ws://\(host)/") }
  }

  @Test(arguments: ["ü:8０", "ü@b", "u:ü@b"])
  func `other scripts outside the host are refused`(authority: String) {
    let error: WebSocketURLError = authority.contains("@") ? .hasUserInfo : .invalidPort("8０")
    #expect(throws: error) { try WebSocketURL("ws://\(authority)/") }
  }

  @Test func `random names never trap, and are converted to ASCII`() {
    var generator = SeededGenerator(seed: 46)
    var taken = 0
    for _ in 0..<20_000 {
      let scalars = (0..<Int.random(in: 1...8, using: &generator)).compactMap { _ in
        let limit: UInt32 =
          [0x80, 0x250, 0x700, 0x3100, 0x1_0000, 0x11_0000].randomElement(using: &generator) ?? 0x80
        return Unicode.Scalar(UInt32.random(in: 0x21..<limit, using: &generator))
      }
      let host = String(String.UnicodeScalarView(scalars))
      guard let url = try? WebSocketURL("ws://\(host)") else { continue }
      taken += 1
      #expect(url.host.utf8.allSatisfy { (0x21..<0x7F).contains($0) })
      if !url.host.contains("%") { #expect((try? WebSocketURL(url.description)) == url) }
    }
    #expect(taken > 100)
  }

  @Test func `an error about a host escapes invisible and direction-changing characters`() {
    let error = WebSocketURLError.invalidHost("bü\u{202E}cher\u{2028}.example")
    let advice = "if it is one, write it in punycode: xn--..."
    #expect(error.description == #"bü\u{202E}cher\u{2028}.example is not a host; "# + advice)
    #expect(WebSocketURLError.invalidHost("a..b").description == "a..b is not a host")
  }

  @Test func `random URLs never trap, and a valid one parses to the same value again`() {
    var generator = SeededGenerator(seed: 3986)
    let alphabet = Array("ws:/[]@?#%.1afé \r")
    for _ in 0..<20_000 {
      let tail = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? "a"
      }
      guard let url = try? WebSocketURL("ws://" + String(tail)) else { continue }
      #expect(!url.host.isEmpty && url.target.hasPrefix("/") && url.port > 0)
      if !url.host.contains("%") { #expect((try? WebSocketURL(url.description)) == url) }
    }
  }

  @Test func `each URL error has a description of its own`() {
    let errors: [WebSocketURLError] = [
      .notAbsolute, .unsupportedScheme("x"), .invalidCharacter("\n"), .missingHost,
      .invalidHost("x"), .invalidPort("x"), .hasUserInfo, .hasFragment,
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.allSatisfy { !$0.description.contains { $0.isNewline } })
  }
}
