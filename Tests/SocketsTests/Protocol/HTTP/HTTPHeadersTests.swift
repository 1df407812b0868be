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
