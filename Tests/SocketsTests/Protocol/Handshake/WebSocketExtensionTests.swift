import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct WebSocketExtensionTests {
  private func list(_ values: String...) -> [WebSocketExtension]? {
    var headers = HTTPHeaders()
    for value in values { headers.add("Sec-WebSocket-Extensions", value) }
    return WebSocketExtension.list(in: headers)
  }

  @Test func `9.1: the extensions of the RFC are parsed`() {
    #expect(list("foo") == [.init(name: "foo")])
    #expect(
      list("bar; baz=2") == [.init(name: "bar", parameters: [.init(name: "baz", value: "2")])]
    )
    #expect(
      list("foo", "bar; baz=2")
        == [
          .init(name: "foo"), .init(name: "bar", parameters: [.init(name: "baz", value: "2")]),
        ]
    )
    #expect(
      list(
        "deflate-stream", "mux; max-channels=4; flow-control, deflate-stream", "private-extension")?
        .map(\.description)
        == [
          "deflate-stream", "mux; max-channels=4; flow-control", "deflate-stream",
          "private-extension",
        ]
    )
  }

  @Test func `9.1: blanks and empty elements of extensions are ignored`() {
    #expect(list("\ta ;b = 1 ; c , , d,")?.map(\.description) == ["a; b=1; c", "d"])
    #expect(list() == [])
    #expect(list("", " , ") == [])
  }

  @Test func `9.1: a quoted value of an extension equals its token`() {
    let expected = [WebSocketExtension(name: "a", parameters: [.init(name: "b", value: "10")])]
    #expect(list(#"a; b="10""#) == expected)
    #expect(list(#"a; b="\1\0""#) == expected)
    #expect(list(#"a; b = "10" , c"#)?.count == 2)
  }

  @Test(arguments: [
    "a b", "a;", "a; ;b", ";a", "a; =1", "a; b=", "a; b=1=2", "a; b=1 2", "a=1", "(a)", "a; b=\"",
    "ä",
    #"a; b="1"#, #"a; b="""#, #"a; b="1 2""#, #"a; b="1\"#, #"a; b="1,2""#, #"a; b="1"2"#, #""a""#,
    "a; b=\u{1}", #"a; b="\""#,
  ])
  func `9.1: malformed extensions are not a list`(value: String) {
    #expect(list(value) == nil)
    #expect(list("good", value) == nil)
  }
}
