import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// The target of a redirect.
@Suite("Redirects of a handshake", .workerPool) struct RedirectTests {
  private func follow(
    _ location: String?,
    from url: String = "ws://a.example/chat/room?id=1",
    status: Int = 302,
    limit: Int = 1,
    _ configure: (inout WebSocketConfiguration) -> Void = { _ in }
  ) throws -> Dialer? {
    var configuration = WebSocketConfiguration()
    configuration.redirectLimit = limit
    configure(&configuration)
    let headers = location.map { ["Location": $0] as HTTPHeaders } ?? [:]
    return try Dialer(url, configuration).redirected(by: .rejected(status, headers))
  }

  @Test(
    arguments: [
      ("ws://b.example/x", "ws://b.example/x"), ("wss://b.example/x?y", "wss://b.example/x?y"),
      ("http://b.example/", "ws://b.example/"), ("HTTPS://b.example", "wss://b.example/"),
      ("/lobby?id=2", "ws://a.example/lobby?id=2"), ("hall", "ws://a.example/chat/hall"),
      ("//b.example:81/x", "ws://b.example:81/x"), ("?id=2", "ws://a.example/chat/room?id=2"),
      ("/x#part", "ws://a.example/x"), ("/a%20b", "ws://a.example/a%20b"),
      ("https://bücher.example/ü", "wss://xn--bcher-kva.example/%C3%BC"),
    ]
  )
  func `a redirect leads to an absolute or relative URL`(location: String, url: String) throws {
    #expect(try follow(location)?.url.description == url)
  }

  @Test(arguments: [301, 302, 303, 307, 308, 300, 304, 401, 500])
  func `a redirect has one of five statuses`(status: Int) throws {
    let isRedirect = [301, 302, 303, 307, 308].contains(status)
    #expect(try (follow("/x", status: status) != nil) == isRedirect)
  }

  @Test func `a redirect is not followed by default`() throws {
    #expect(try follow("/x", limit: 0) == nil)
  }

  @Test func `a redirect to a URL with a password is an error without the password`() {
    let redacted = WebSocketError.redirect(.invalidLocation("ws://...@b.example/"))
    #expect(throws: redacted) { try follow("ws://me:hunter2@b.example/") }
  }

  @Test func `a refused redirect is reported without its query`() {
    #expect(throws: WebSocketError.redirect(.invalidLocation("ftp://b.example/?..."))) {
      try follow("ftp://b.example/?token=1")
    }
    #expect(throws: WebSocketError.redirect(.insecure("ws://b.example/?..."))) {
      try follow("ws://b.example/?token=1", from: "wss://a.example/")
    }
  }

  @Test(arguments: [nil, "", "ftp://b.example/", "http://", "ws://b:0/"])
  func `a redirect without a valid location is an error`(location: String?) {
    #expect(throws: WebSocketError.redirect(.invalidLocation(location ?? ""))) {
      try follow(location)
    }
  }

  @Test(arguments: ["ws://a.example/", "http://b.example/"])
  func `a redirect from wss to ws is an error`(location: String) throws {
    #expect(throws: WebSocketError.redirect(.insecure(location))) {
      try follow(location, from: "wss://a.example/")
    }
    #expect(try follow("/x", from: "wss://a.example/")?.url.description == "wss://a.example/x")
  }

  @Test func `redirects are followed up to the limit`() throws {
    var route = try #require(try follow("/1", limit: 3))
    for path in ["/2", "/3"] {
      route = try #require(try route.redirected(by: .rejected(307, ["Location": path])))
    }
    #expect(throws: WebSocketError.redirect(.tooMany(limit: 3))) {
      try route.redirected(by: .rejected(307, ["Location": "/4"]))
    }
  }

  /// The header fields of the redirected request.
  private func request(_ route: Dialer?) throws -> String {
    let (_, opening) = try #require(try route?.dial())
    guard case .client(let handshake, _) = opening else { return "" }
    return String(decoding: handshake.request, as: UTF8.self)
  }

  @Test(arguments: [
    ("/x", true), ("ws://A.EXAMPLE:80/", true), ("ws://a.example:81/", false),
    ("wss://a.example/", false), ("ws://b.example/", false),
  ])
  func `a redirect keeps secret headers on the same origin only`(location: String, isSame: Bool)
    throws
  {
    let route = try follow(location) { configuration in
      configuration.headers = [
        "authorization": "Bearer 1", "Cookie": "a=b", "Proxy-Authorization": "Basic",
        "Host": "front.example", "X-API-Key": "7", "User-Agent": "app",
      ]
      configuration.tls.authorities = .only(Certificates.authority)
      configuration.tls.identity = Certificates.client
    }
    let request = try request(route)
    for name in [
      "authorization: ", "Cookie: ", "Proxy-Authorization: ", "Host: front.example", "X-API-Key: ",
    ] {
      #expect(request.contains(name) == isSame)
    }
    #expect(request.contains("User-Agent: app"))
    #expect(request.lowercased().split(separator: "\r\nhost: ").count == 2)
  }
}

/// Redirects and proxies over TCP.
@Suite("A WebSocket behind redirects and proxies", .workerPool)
struct WayTests {
  private func redirect(_ location: String, _ extra: String = "") -> [UInt8] {
    Array("HTTP/1.1 307 Elsewhere\r\nLocation: \(location)\r\n\(extra)\r\n".utf8)
  }

  private func following(_ limit: Int = 3) -> WebSocketConfiguration {
    var configuration = WebSocketConfiguration(headers: ["Authorization": "Bearer 1"])
    configuration.redirectLimit = limit
    return configuration
  }

  @Test func `a redirect is followed before its body arrives`() async throws {
    let (first, second) = (try RawServer(), try RawServer())
    let (socket, recorder) = WebSocket.recorded(to: first.url, following())
    socket.connect()
    // The connection stays open, and most of the body never arrives.
    let before = await first.peerWithRequest()
    before.send(redirect(second.url + "lobby", "Content-Length: 100\r\n") + [0x61])
    let peer = try await second.upgradedPeer()
    await recorder.waitUntilConnected()
    await before.log.wait { $0.ended == 1 || $0.isClosed }
    #expect(before.text.contains("Authorization: Bearer 1\r\n"))
    peer.send(Wire.frame(0x81, "a", masked: false))
    await recorder.log.wait { $0.texts == ["a"] }
    socket.close()
    _ = await peer.closeCode()
    peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: false))
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    #expect(
      recorder.value.states == [.idle, .connecting, .connected, .disconnecting, .disconnected])
    #expect(recorder.value.failure == nil)
  }

  @Test func `a redirected request has a new key and the new host`() async throws {
    let (first, second) = (try RawServer(), try RawServer())
    let (socket, recorder) = WebSocket.recorded(to: first.url, following())
    socket.connect()
    let before = await first.peerWithRequest()
    before.send(redirect(second.url + "lobby?id=2"))
    let next = await second.peerWithRequest()
    #expect(next.text.hasPrefix("GET /lobby?id=2 HTTP/1.1\r\nHost: 127.0.0.1:"))
    #expect(!next.text.contains("Authorization"))
    let key = /Sec-WebSocket-Key: (\S+)/
    let keys = [before, next].map { $0.text.firstMatch(of: key)?.1 }
    #expect(keys[0] != nil && keys[0] != keys[1])
    socket.close()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == nil)
  }

  @Test func `a circle of redirects ends with the limit`() async throws {
    let server = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: server.url, following(2))
    socket.connect()
    for number in 0..<3 { await server.peerWithRequest(number).send(redirect("/")) }
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .redirect(.tooMany(limit: 2)))
    #expect(recorder.value.states == [.idle, .connecting, .disconnected])
  }

  @Test func `a redirect that is not allowed is a rejection`() async throws {
    let server = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await server.peerWithRequest().send(redirect("/", "Content-Length: 0\r\n"))
    await recorder.waitUntilOver()
    guard case .handshake(.rejected(307, _, let headers, _)) = recorder.value.failure else {
      Issue.record("\(String(describing: recorder.value.failure))")
      return
    }
    #expect(headers["Location"] == "/")
  }

  @Test func `a redirect to a closed port is a connection error`() async throws {
    let server = try RawServer()
    let owner = RawSocket.bound()
    let (socket, recorder) = WebSocket.recorded(to: server.url, following())
    socket.connect()
    await server.peerWithRequest().send(redirect("ws://127.0.0.1:\(owner.port)/"))
    await recorder.waitUntilOver()
    #expect(
      recorder.value.failure == .transport(.refused(address: "127.0.0.1:\(owner.port)"))
    )
    owner.close()
  }

  @Test func `a redirect to wss without TLS is one TLS error`() async throws {
    struct NoTLS: TLSProvider {
      func makeSession(
        _ role: TLSRole,
        _ configuration: TLSConfiguration
      ) throws(TLSError) -> any TLSSession {
        throw .unavailable(reason: "none here")
      }
    }
    let server = try RawServer()
    var configuration = following()
    configuration.tlsProvider = NoTLS()
    let (socket, recorder) = WebSocket.recorded(to: server.url, configuration)
    socket.connect()
    await server.peerWithRequest().send(redirect("wss://localhost/"))
    await recorder.waitUntilOver()
    let error = WebSocketError.transport(.tls(.unavailable(reason: "none here")))
    #expect(recorder.value.failure == error)
    #expect(recorder.value.events == [.error(error), .disconnected(code: .abnormal, reason: "")])
  }

  @Test func `one handshake timeout covers all redirects`() async throws {
    let time = VirtualTime()
    let (first, second) = (try RawServer(), try RawServer())
    var configuration = following()
    configuration.scheduler = time.scheduler
    let (socket, recorder) = WebSocket.recorded(to: first.url, configuration)
    socket.connect()
    let before = await first.peerWithRequest()
    time.advance(by: .seconds(9))
    before.send(redirect(second.url))
    let next = await second.peerWithRequest()
    time.advance(by: .seconds(1))
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .handshakeTimedOut(after: .seconds(10)))
    await next.log.wait { $0.ended == 1 || $0.isClosed }
  }

  @Test func `a connection attempt to an unresponsive host ends after 10 seconds`() async throws {
    let time = VirtualTime()
    let listener = RawSocket.bound()
    listener.listen(backlog: 0)
    // The backlog is full: the kernel ignores further connections.
    let crowd = (0..<4).map { _ in RawSocket.bound() }
    for one in crowd { one.beginConnecting(to: listener.port) }
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let (socket, recorder) = WebSocket.recorded(
      to: "ws://127.0.0.1:\(listener.port)/", configuration)
    socket.connect()
    await EventLoop.shared.settle()
    time.advance(by: .milliseconds(9_999))
    await EventLoop.shared.settle()
    #expect(socket.state == .connecting)
    time.advance(by: .milliseconds(1))
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .handshakeTimedOut(after: .seconds(10)))
    for one in crowd + [listener] { one.close() }
  }

  // MARK: Proxies

  private func echoing(
    _ identity: TLSIdentity?,
    _ bag: DisposeBag
  ) throws -> WebSocketServer {
    let server = try WebSocketServer(
      identity: identity,
      configuration: WebSocketConfiguration().onStoppedClock
    )
    server.connections
      .subscribe(onNext: { socket in
        socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
          .disposed(by: bag)
      })
      .disposed(by: bag)
    return server
  }

  @Test(arguments: [false, true])
  func `ws and wss connect through a proxy`(isSecure: Bool) async throws {
    let bag = DisposeBag()
    let proxy = try RelayingProxy()
    let server = try echoing(isSecure ? Certificates.good : nil, bag)
    var configuration = WebSocketConfiguration()
    configuration.proxy = .http("http://me:secret@127.0.0.1:\(proxy.port)")
    configuration.tls.authorities = .only(Certificates.authority)
    let (socket, recorder) = WebSocket.recorded(to: server.url, configuration)
    socket.connect()
    await recorder.waitUntilConnected()
    let message = WebSocketMessage.binary(Data(pattern(300_000)))
    try socket.send(message)
    await recorder.log.wait { $0.messages.count == 1 }
    let isSame = recorder.value.messages == [message]
    #expect(isSame)
    socket.close()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == nil)
    let request = try #require(proxy.requests.value.first)
    #expect(request.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n"))
    #expect(request.contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"))
  }

  @Test func `an internationalized name is ASCII for proxy, TLS and server`() async throws {
    let proxy = try RawServer()
    var configuration = WebSocketConfiguration()
    configuration.proxy = .http(proxy.url.replacing("ws:", with: "http:"))
    let (socket, recorder) = WebSocket.recorded(to: "wss://bücher.example/", configuration)
    socket.connect()
    let peer = await proxy.peerWithRequest()
    #expect(peer.text.hasPrefix("CONNECT xn--bcher-kva.example:443 HTTP/1.1\r\n"))
    peer.log.update { $0.received = [] }
    peer.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
    // The server name of TLS is not encrypted.
    let name = Array("xn--bcher-kva.example".utf8)
    await peer.log.wait { $0.received.firstRange(of: name) != nil }
    socket.close()
    await recorder.waitUntilOver()

    let route = try Dialer("ws://bücher.example/", WebSocketConfiguration())
    let request = String(decoding: try route.handshake().request, as: UTF8.self)
    #expect(request.contains("\r\nHost: xn--bcher-kva.example\r\n"))
  }

  @Test func `a refusal by a proxy is an error with its status`() async throws {
    let proxy = try RelayingProxy(
      refusingWith: "HTTP/1.1 407 Who are you?\r\nContent-Length: 0\r\n\r\n"
    )
    var configuration = WebSocketConfiguration()
    configuration.proxy = .http(proxy.url)
    let (socket, recorder) = WebSocket.recorded(to: "ws://server.test/", configuration)
    socket.connect()
    await recorder.waitUntilOver()
    let error = ProxyError.refused(
      proxy: "127.0.0.1:\(proxy.port)", status: 407, reason: "Who are you?")
    #expect(recorder.value.failure == .transport(.proxy(error)))
  }

  @Test(arguments: [false, true])
  func `a refused connection to a proxy is an error with its host and port`(
    isSecure: Bool
  ) async throws {
    // Bound and not listening: no other process can bind the port meanwhile.
    let owner = RawSocket.bound()
    var configuration = WebSocketConfiguration()
    configuration.proxy = .http("http://me:secret@localhost:\(owner.port)")
    let url = (isSecure ? "wss" : "ws") + "://server.test/"
    let (socket, recorder) = WebSocket.recorded(to: url, configuration)
    socket.connect()
    await recorder.waitUntilOver()
    guard
      case .transport(.proxy(.unreachable(let proxy, .refused(let address)))) = recorder.value
        .failure
    else {
      Issue.record("\(String(describing: recorder.value.failure))")
      return
    }
    #expect(proxy == "localhost:\(owner.port)" && address.hasSuffix(":\(owner.port)"))
    owner.close()
  }

  @Test func `an unknown proxy name is an error with its host and port`() async throws {
    var configuration = WebSocketConfiguration()
    configuration.proxy = .http("http://no-such-proxy.invalid:3128")
    let (socket, recorder) = WebSocket.recorded(to: "ws://server.test/", configuration)
    socket.connect()
    await recorder.waitUntilOver()
    guard
      case .transport(.proxy(.unreachable("no-such-proxy.invalid:3128", .hostNotFound))) =
        recorder.value.failure
    else {
      Issue.record("\(String(describing: recorder.value.failure))")
      return
    }
  }

  @Test func `a malformed proxy is an error, and nothing is connected`() async throws {
    var configuration = WebSocketConfiguration()
    configuration.proxy = .http("socks5://127.0.0.1:1080")
    let (socket, recorder) = WebSocket.recorded(to: "ws://server.test/", configuration)
    socket.connect()
    await recorder.waitUntilOver()
    let error = WebSocketError.transport(.proxy(.unsupportedScheme("socks5")))
    #expect(recorder.value.failure == error)
  }

  @Test func `each redirect error has a description of one line`() {
    let errors: [RedirectError] = [.tooMany(limit: 3), .insecure("ws://a/"), .invalidLocation("")]
    #expect(Set(errors.map(\.description)).count == 3)
    #expect(WebSocketError.redirect(.tooMany(limit: 3)).description == "more than 3 redirects")
  }

  @Test func `an error about a URL does not contain its password`() {
    #expect(throws: WebSocketError.self) {
      do {
        _ = try Dialer("wss://user:hunter2@a.example/x@y", WebSocketConfiguration())
      } catch {
        #expect("\(error)".contains("wss://...@a.example/x@y"))
        #expect(!"\(error)".contains("hunter2"))
        throw error
      }
    }
  }
}
