import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct HTTPHeadersTests {
  @Test func `header names ignore case and keep their spelling`() {
    let headers: HTTPHeaders = ["Content-Type": "a"]
    #expect(headers["content-TYPE"] == "a")
    #expect(headers["Content"] == nil)
    #expect(headers.fields.map(\.name) == ["Content-Type"])
  }

  @Test func `values of one header name keep their order and are joined by commas`() {
    var headers: HTTPHeaders = ["Accept": "a", "Host": "h", "accept": "b, c"]
    #expect(headers["ACCEPT"] == "a, b, c")
    #expect(headers.values(of: "Accept") == ["a", "b, c"])
    headers["Accept"] = "d"
    #expect(headers.fields.map(\.value) == ["h", "d"])
    headers["Host"] = nil
    #expect(headers == ["Accept": "d"])
  }

  @Test func `a header list is read over all fields, without blanks and empty elements`() {
    let headers: HTTPHeaders = ["Connection": "keep-alive ,, \tUpgrade", "connection": "x"]
    #expect(headers.elements(of: "Connection") == ["keep-alive", "Upgrade", "x"])
    #expect(headers.lists("upgrade", in: "Connection"))
    #expect(!headers.lists("grade", in: "Connection"))
    #expect(!headers.lists("", in: "Connection"))
  }

  @Test func `a comma separates the elements of a list, also before a combining mark`() {
    let headers: HTTPHeaders = ["Connection": "\u{301},close,\u{301}, upgrade \u{301}"]
    #expect(
      headers.elements(of: "Connection") == ["\u{301}", "close", "\u{301}", "upgrade \u{301}"])
    #expect(headers.lists("close", in: "Connection"))
    #expect(!headers.lists("upgrade", in: "Connection"))
  }

  @Test func `headers of a received head equal those of a literal`() throws {
    let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\nX-Empty:\r\nAccept:  a, b \t\r\n\r\n".utf8)
    let received = try HTTPHead(parsing: bytes).headers
    let written: HTTPHeaders = ["Host": "h", "X-Empty": "", "Accept": "a, b"]
    #expect(received == written && received.hashValue == written.hashValue)
    #expect(received.fields == written.fields)
    for other in [
      ["Host": "h", "X-Empty": ""], ["host": "h", "X-Empty": "", "Accept": "a, b"],
      ["X-Empty": "", "Host": "h", "Accept": "a, b"],
      ["Host": "hX-Empty", "": "", "Accept": "a, b"],
    ] as [HTTPHeaders] { #expect(received != other) }
    var changed = received
    changed["X-EMPTY"] = nil
    changed.add("Via", "p")
    #expect(changed == ["Host": "h", "Accept": "a, b", "Via": "p"])
    #expect(received == written)
  }

  @Test func `headers are coded, described and mirrored by their fields`() throws {
    let headers: HTTPHeaders = ["A": "1", "B": ""]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = #"{"fields":[{"name":"A","value":"1"},{"name":"B","value":""}]}"#
    #expect(String(decoding: try encoder.encode(headers), as: UTF8.self) == json)
    #expect(try JSONDecoder().decode(HTTPHeaders.self, from: Data(json.utf8)) == headers)
    let children = Mirror(reflecting: headers).children
    #expect(children.map(\.label) == ["fields"])
    #expect(children.first?.value as? [HTTPHeaders.Field] == headers.fields)
    #expect("\(headers)".contains(#"Field(name: "A", value: "1")"#))
  }

  @Test func `the bytes of tokens and letters are those of RFC 9110 and ASCII`() {
    let tokens = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    #expect(Set((UInt8.min...UInt8.max).filter(\.isOfHTTPToken)) == Set(tokens.utf8))
    for byte in UInt8.min...UInt8.max {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      #expect(byte.lowercased == (isUpper ? byte + 32 : byte))
    }
  }

  @Test func `header names compare only ASCII letters without case`() {
    #expect("WebSocket".equalsIgnoringCase("wEBsOCKET"))
    #expect(!"web\u{17F}ocket".equalsIgnoringCase("websocket"))
    #expect(!"\u{212A}ey".equalsIgnoringCase("key"))
    #expect(!"@[".equalsIgnoringCase("`{"))
  }

  @Test(
    arguments: [
      ("X", "ok", true), ("X-1_!#", "\t tab and é", true), ("X", "", true),
      ("", "v", false), ("X Y", "v", false), ("X:", "v", false), ("X\r\n", "v", false),
      ("É", "v", false), ("X", "a\r\nEvil: b", false), ("X", "a\n", false), ("X", "a\r", false),
      ("X", "a\u{0}", false), ("X", "a\u{7F}", false),
    ] as [(String, String, Bool)]
  )
  func `a header that contains a line break is not well-formed`(
    name: String,
    value: String,
    isWellFormed: Bool
  ) {
    #expect(HTTPHeaders.Field(name: name, value: value).isWellFormed == isWellFormed)
  }
}
