import Foundation
import TestSupport
import Testing

@testable import Sockets

/// The part of RFC 9112 that a WebSocket server needs for plain requests.
@Suite("Plain HTTP requests", .workerPool) struct HTTPRequestReaderTests {
  private struct Reading: Equatable {
    var requests: [String] = []
    var refusal: Int?
    var rest = 0
    var continues = 0
  }

  /// Reads requests until the end of the bytes or a refusal.
  private func read(_ parts: [[UInt8]], bodyLimit: Int? = 100) -> Reading {
    var reader = HTTPRequestReader(bodyLimit: bodyLimit)
    var reading = Reading()
    for part in parts {
      part.withUnsafeBytes { bytes in
        var input = bytes
        do {
          while true {
            let request = try reader.receive(&input)
            if reader.isContinueExpected {
              reader.noteContinued()
              reading.continues += 1
            } else if let request {
              reading.requests.append(describe(request))
            } else {
              break
            }
          }
        } catch let refusal as HandshakeRefusal {
          reading.refusal = refusal.status
        } catch {
          Issue.record(error)
        }
        reading.rest = input.count
      }
      if reading.refusal != nil { break }
    }
    return reading
  }

  private func describe(_ request: HTTPRequestReader.Request) -> String {
    switch request {
    case .webSocket(let asked): "websocket \(asked.head.path)"
    case .plain(let head, let body):
      [head.method, head.path, head.query.map { "?\($0)" }, String(decoding: body, as: UTF8.self)]
        .compactMap { $0 }.joined(separator: " ")
    }
  }

  private func read(_ text: String, bodyLimit: Int? = 100) -> Reading {
    read([Array(text.utf8)], bodyLimit: bodyLimit)
  }

  private let host = "Host: localhost\r\n"

  @Test func `requests are read one after the other at any split of the bytes`() {
    let bytes = Array(
      ("GET /health?deep=1 HTTP/1.1\r\n\(host)\r\n"
        + "POST /a HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\nhello"
        + "\r\nPUT /b HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n"
        + "3;x=1\r\nabc\r\n0A\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n"
        + "HEAD / HTTP/1.0\r\n\r\n").utf8)
    let expected = Reading(requests: [
      "GET /health ?deep=1 ", "POST /a hello", "PUT /b abc0123456789", "HEAD / ",
    ])
    #expect(read([bytes]) == expected)
    for (first, second) in bytes.splits { #expect(read([first, second]) == expected) }
    #expect(read(bytes.map { [$0] }) == expected)
  }

  @Test func `a WebSocket request can follow plain requests`() {
    #expect(
      read("GET / HTTP/1.1\r\n\(host)\r\n" + RawClient.request).requests
        == ["GET / ", "websocket /chat"])
  }

  @Test(arguments: [
    ("http://example.com/a?b", "GET /a ?b "), ("HTTP://example.com", "GET / "),
    ("ws://example.com:80?b", "GET / ?b "), ("wss://[::1]:80/a", "GET /a "), ("/", "GET / "),
    ("//a/b", "GET //a/b "),
  ])
  func `9112 3.2.2: a request target can be a URL`(target: String, expected: String) {
    #expect(read("GET \(target) HTTP/1.1\r\n\(host)\r\n").requests == [expected])
    let handshake = RawClient.request.replacing("/chat?room=1", with: target)
    let path = expected.split(separator: " ")[1]
    #expect(read(handshake).requests == ["websocket \(path)"])
  }

  @Test func `9112 3.2.2: the host of a URL target replaces Host`() throws {
    let text = "http://a.example:81/x HTTP/1.1\r\nHost: b.example\r\n"
    let head = try HTTPRequestHead(HTTPHead(parsing: Array("GET \(text)\r\n".utf8)))
    #expect(head.headers["Host"] == "a.example:81" && head.path == "/x")
  }

  @Test func `a combining mark does not hide the separator before it`() {
    #expect(read("GET /a?\u{301} HTTP/1.1\r\n\(host)\r\n").requests == ["GET /a ?\u{301} "])
    #expect(read("GET / HTTP/1.1\r\n\(host)X:\u{301}\r\n\r\n").requests == ["GET / "])
  }

  @Test(arguments: [
    "a", "", "example.com", "example.com:", "example.com:80", "a_b~c-d.e", "192.0.2.1:80",
    "[::1]:80", "[2001:DB8::1]", "[::ffff:192.0.2.1]", "a!$&'()*+,;=b", "%C3%BC.test", ":80",
  ])
  func `9112 3.2: Host is a host with an optional port`(value: String) {
    #expect(read("GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n") == Reading(requests: ["GET / "]))
  }

  @Test(arguments: [
    "a b", "a/c", "a@b", "a?b", "a#b", "a\\b", "\u{FC}.test", "a%b", "a%2", "a%zz", "a:b",
    "a:80:80",
    "a:-1", "a\tb", "\"a\"", "[::1", "::1", "[::1]80", "[]", "[1.2.3.4]", "[::1%25eth0]", "[v1.a]",
    "a[::1]", "a<b>", "a|b", "a^b", "a{b}", "http://a",
  ])
  func `9112 3.2: an invalid Host or host of a URL is refused with 400`(
    value: String
  ) {
    for version in ["1.0", "1.1"] {
      #expect(
        read("GET / HTTP/\(version)\r\nHost: \(value)\r\n\r\n") == Reading(refusal: 400))
    }
    // These characters end the host of a URL.
    guard !value.contains(where: { "/?# ".contains($0) }) else { return }
    #expect(read("GET http://\(value)/ HTTP/1.1\r\n\(host)\r\n") == Reading(refusal: 400))
  }

  @Test func `9110 4.2.1: a URL target has a host, and no user`() {
    for authority in [":80", "user@a", "user:password@a:80"] {
      #expect(read("GET http://\(authority)/ HTTP/1.1\r\n\(host)\r\n") == Reading(refusal: 400))
    }
  }

  @Test func `9112 2.2: eight empty lines can precede a request, and a ninth is refused with 400`()
  {
    func emptyLines(_ count: Int) -> String { String(repeating: "\r\n", count: count) }
    let request = "GET / HTTP/1.1\r\n\(host)\r\n"
    let eight = emptyLines(8) + request
    #expect(read(eight + eight).requests == ["GET / ", "GET / "])
    let flood = read(emptyLines(60_000))
    #expect(flood.refusal == 400 && flood.rest == 2 * 60_000 - 18)
    #expect(read(emptyLines(9).utf8.map { [$0] }).refusal == 400)
  }

  @Test func `a head of more than 100 fields or 16 KiB is refused with 431 before it has ended`() {
    func fields(_ count: Int) -> String { String(repeating: "a:\r\n", count: count) }
    #expect(read("GET / HTTP/1.1\r\n\(host)\(fields(99))\r\n").requests == ["GET / "])
    #expect(read("GET / HTTP/1.1\r\n\(host)\(fields(100))").refusal == 431)
    let handshake = String(RawClient.request.dropLast())
    #expect(read(handshake + fields(100) + "\r\n", bodyLimit: nil).refusal == 431)
    #expect(read("GET /" + String(repeating: "a", count: 16_384)).refusal == 431)
  }

  @Test func `a list of a handshake has 100 elements at most`() {
    let start = String(RawClient.request.dropLast())
    func list(_ name: String, _ element: String, _ count: Int) -> String {
      "\(name): " + String(repeating: element, count: count) + "\r\n\r\n"
    }
    for (name, element) in [
      ("Sec-WebSocket-Protocol", "a,"), ("Sec-WebSocket-Extensions", "a,"),
      ("Sec-WebSocket-Extensions", "a;b,"),
    ] {
      #expect(read(start + list(name, element, 50)).requests.count == 1)
      #expect(read(start + list(name, element, 101)).refusal == 400)
    }
    let parameters = "Sec-WebSocket-Extensions: a" + String(repeating: ";b", count: 101)
    #expect(read(start + parameters + "\r\n\r\n").refusal == 400)
  }

  private func chunked(_ body: String) -> Reading {
    read("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n\(body)")
  }

  @Test(arguments: ["3", "3;", "3;a=b", "3 \t;a", "003;a=\"b;c\" ; d", "3;\u{FC}"])
  func `9112 7.1.1: an extension can follow the size of a chunk`(line: String) {
    #expect(chunked("\(line)\r\nabc\r\n0\r\n\r\n") == Reading(requests: ["POST / abc"]))
    #expect(
      chunked("3\r\nabc\r\n0\(line.dropFirst())\r\n\r\n").refusal == nil, "of the last one")
  }

  @Test(arguments: [
    "3 3", "3 garbage", "3 ", "3\t", " 3", "3=a", "3,a", "3;a=\rb", "3;a=\u{0}b", "3;\u{7F}",
    "3\r;a",
    "3;a\r", "3\u{0}", "3x", "+3", "-0", "0x3", "3;a\nb", ";a",
  ])
  func `9112 7.1: an invalid extension of a chunk is refused with 400`(
    line: String
  ) {
    #expect(chunked("\(line)\r\nabc\r\n0\r\n\r\n").refusal == 400)
  }

  @Test func `9112 7.1.2: trailers are read as fields, and ignored`() {
    for trailers in ["a:\r\n", "a: b\tc\r\nD-1:\u{FC}\r\n", ""] {
      #expect(chunked("0\r\n\(trailers)\r\n") == Reading(requests: ["POST / "]))
    }
    for line in [
      "GET /smug HTTP/1.1", "a", ":", ": b", "a : b", " a: b", "\ta: b", "a: b\rc", "a: b\u{0}",
      "a: b\u{7F}", "a: b\r", "a(: b", "\r",
    ] {
      #expect(chunked("0\r\n\(line)\r\n\r\n").refusal == 400, "\(line.debugDescription)")
      #expect(chunked("0\r\nx: y\r\n\(line)\r\n\r\n").refusal == 400)
    }
    #expect(chunked("0\r\na: b\r\n c: d\r\n\r\n").refusal == 400, "a folded line")
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http:/a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n", "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a#b HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.11\r\nHost: a\r\n\r\n", "GET / http/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\ng\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n123456789\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na\n",
  ])
  func `an ambiguous request is refused with 400`(text: String) {
    #expect(read(text) == Reading(refusal: 400, rest: read(text).rest))
  }

  @Test func `9110 2.5: a request of HTTP 1.2 is read as one of HTTP 1.1`() {
    #expect(read("GET /a HTTP/1.2\r\n\(host)\r\n") == Reading(requests: ["GET /a "]))
  }

  @Test func `an unsupported request feature is refused with a status of its own`() {
    let start = "GET / HTTP/1.1\r\n\(host)"
    #expect(read("GET / HTTP/2.0\r\n\(host)\r\n").refusal == 505)
    #expect(read("\(start)Transfer-Encoding: gzip, chunked\r\n\r\n").refusal == 501)
    #expect(read("\(start)Expect: 200-ok\r\n\r\n").refusal == 417)
    #expect(read("\(start)Content-Length: 101\r\n\r\n").refusal == 413)
    #expect(read("\(start)Content-Length: 100\r\n\r\n").refusal == nil)
    let chunked = "\(start)Transfer-Encoding: chunked\r\n\r\n"
    let chunk = "20\r\n\(String(repeating: "a", count: 32))\r\n"
    #expect(read(chunked + chunk + chunk + chunk + "4\r\n").refusal == nil)
    #expect(read(chunked + chunk + chunk + chunk + "5\r\n").refusal == 413)
    #expect(read(chunked + String(repeating: "0", count: 2_000)).refusal == 400)
    #expect(read(chunked + "0\r\n" + String(repeating: "a: b\r\n", count: 2_000)).refusal == 400)
  }

  @Test func `9110 10.1.1: a request that expects 100-continue receives it before the body`() {
    let start = "POST / HTTP/1.1\r\n\(host)Expect: 100-continue\r\n"
    #expect(read("\(start)Content-Length: 1\r\n\r\n") == Reading(continues: 1))
    #expect(
      read("\(start)Content-Length: 1\r\n\r\na") == Reading(requests: ["POST / a"], continues: 1))
    #expect(read("\(start)\r\n") == Reading(requests: ["POST / "]))
    #expect(read("\(start)Content-Length: 101\r\n\r\n").continues == 0)
  }

  @Test func `without a handler a plain request is refused with 426 by its head`() {
    let reading = read("POST / HTTP/1.1\r\n\(host)Content-Length: 9\r\n\r\n", bodyLimit: nil)
    #expect(reading.refusal == 426)
    #expect(
      read("GET / HTTP/1.1\r\n\(host)Upgrade: websocket\r\n\r\n", bodyLimit: nil).refusal == 400)
  }

  @Test func `a WebSocket request has no body`() {
    for header in ["Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n"] {
      #expect(read(RawClient.request.dropLast() + header + "\r\n").refusal == 400)
    }
    #expect(read(RawClient.request.dropLast() + "Content-Length: 0\r\n\r\n").requests.count == 1)
  }
}
