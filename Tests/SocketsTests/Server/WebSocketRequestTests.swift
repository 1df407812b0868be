import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct WebSocketRequestTests {
  @Test(
    arguments: [
      [:], ["Host": "localhost"], ["A": "1", "a": "2", "B": "", "A": "3"],
      ["Cookie": "name=\"a: b\"; x=,", "X-Name": "J\u{fc}rgen", "Tab": "a\tb"],
    ] as [HTTPHeaders]
  )
  func `headers are what they were, in order`(headers: HTTPHeaders) {
    let request = WebSocketRequest(path: "/a%20b", query: "c=d", headers: headers)
    #expect(request.headers == headers)
    #expect(request.path == "/a%20b" && request.query == "c=d")
  }

  @Test func `subprotocols are listed in any number of headers`() {
    let headers: HTTPHeaders = [
      "Sec-WebSocket-Protocol": "a, b", "sec-websocket-protocol": " c ,, d",
    ]
    #expect(
      WebSocketRequest(path: "/", query: nil, headers: headers).subprotocols == [
        "a", "b", "c", "d",
      ]
    )
    #expect(WebSocketRequest(path: "/", query: nil, headers: [:]).subprotocols == [])
  }
}
