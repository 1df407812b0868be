import ReactiveTesting
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
  func `the headers of a request are unchanged and in order`(headers: HTTPHeaders) {
    let request = WebSocketRequest(path: "/a%20b", query: "c=d", headers: headers)
    #expect(request.headers == headers)
    #expect(request.path == "/a%20b" && request.query == "c=d")
  }

  @Test func `subprotocols of a request are read from any number of headers`() {
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

  @Test func `a request of a test equals a request of a server`() {
    let (proxy, client) = (NetworkAddress("192.0.2.1"), NetworkAddress("2001:db8::1"))
    let request = WebSocketRequest(
      path: "/a", query: "b", headers: ["C": "d"], peerAddress: proxy, clientAddress: client)
    #expect(request.path == "/a" && request.query == "b" && request.headers == ["C": "d"])
    #expect(request.peerAddress == proxy && request.clientAddress == client)
    #expect(request.clientCertificate == nil && request.context == nil)
    #expect(WebSocketRequest(path: "/", peerAddress: proxy).clientAddress == proxy)
    let plain = HTTPRequest(method: "PUT", path: "/a", headers: ["C": "d"], peerAddress: proxy)
    #expect(plain.method == "PUT" && plain.path == "/a" && plain.headers == ["C": "d"])
    #expect(plain.clientAddress == proxy && plain.server == nil && plain.body.isEmpty)
  }

  @Test func `a connection retains the value of its admission until it is released`() async throws {
    final class User: Sendable {
      let name: String
      init(_ name: String) { self.name = name }
    }
    let users = Watched<[WeakUser<User>]>([])
    var admission = WebSocketAdmission()
    admission.decide = { request in
      guard let name = request.query else { return .accept() }
      let user = User(name)
      users.update { $0.append(WeakUser(user)) }
      return .accept(context: user)
    }
    try await withLoop { loop in
      let sockets = ConnectionRegistry(.init().onStoppedClock, admission)
      for target in ["/?anna", "/"] {
        let (near, far) = MemoryTransport.pair(loop: loop)
        let peer = TransportRecorder(far)
        await peer.start()
        sockets.accept(near)
        peer.send(Array(RawClient.request.replacing("/chat?room=1", with: target).utf8))
        await peer.log.wait { String(decoding: $0.received, as: UTF8.self).contains("\r\n\r\n") }
        await loop.settle()
        let name = (sockets.all.first?.request?.context as? User)?.name
        #expect(name == (target == "/" ? nil : "anna"))
        peer.transport.close()
        await sockets.ended()
      }
    }
    for _ in 0..<1_000 where users.value[0].user != nil { await Task.yield() }
    #expect(users.value[0].user == nil)
  }
}

private struct WeakUser<User: AnyObject & Sendable>: Sendable {
  weak let user: User?
  init(_ user: User) { self.user = user }
}
