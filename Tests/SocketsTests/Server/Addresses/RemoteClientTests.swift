import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The address of a client", .workerPool) struct RemoteClientTests {
  // MARK: Addresses

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8::1", "2001:db8::1"),
    ("[2001:db8::1]", "2001:db8::1"), ("[2001:db8::1]:80", "[2001:db8::1]:80"),
    ("192.0.2.1:4711", "192.0.2.1:4711"), ("\"[::1]:80\"", "[::1]:80"),
    (" 192.0.2.1 ", "192.0.2.1"),
    ("192.0.2.1:_hidden", "192.0.2.1"), ("::", "::"),
  ])
  func `an address is parsed in the spellings of proxies`(text: String, expected: String) {
    #expect(NetworkAddress(forwarded: text[...])?.description == expected)
  }

  @Test(arguments: [
    "", "unknown", "_hidden", "192.0.2", "192.0.2.256", "192.0.2.1:65536", "[::1", "::1]",
    "[::1]80", "[::1]:x", "1.2.3.4.5", "192.0.2.1\0", "\"", "[]", "fe80::1%eth0",
  ])
  func `malformed addresses are refused`(text: String) {
    #expect(NetworkAddress(forwarded: text[...]) == nil)
  }

  @Test func `a range contains the addresses with its prefix`() throws {
    let ten = try #require(NetworkRange("10.1.0.0/16" as String))
    #expect(ten.contains(try #require(NetworkAddress("10.1.255.1"))))
    #expect(!ten.contains(try #require(NetworkAddress("10.2.0.1"))))
    let all: NetworkRange = "0.0.0.0/0"
    #expect(all.contains(try #require(NetworkAddress("203.0.113.9", port: 1))))
    #expect(!all.contains(try #require(NetworkAddress("2001:db8::1"))))
    let one: NetworkRange = "2001:db8::1"
    #expect(one.contains(try #require(NetworkAddress("2001:db8::1"))))
    #expect(!one.contains(try #require(NetworkAddress("2001:db8::2"))))
    for text in ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "a/8", "::/129", "10.0.0.0/8/8"] {
      #expect(NetworkRange(text) == nil)
    }
  }

  @Test func `a request stores every client as it is`() {
    let addresses = [
      nil, NetworkAddress("192.0.2.1"), NetworkAddress("192.0.2.1", port: 65_535),
      NetworkAddress("0.0.0.0", port: 0), NetworkAddress("2001:db8::1"),
      NetworkAddress("::", port: 80), NetworkAddress("::1:ffff:1:2", port: 1),
    ]
    for number in [1, 256, Int.max] {
      for peer in addresses {
        for address in addresses {
          let client = RemoteClient(number: number, peerAddress: peer, address: address)
          var form: [UInt8] = []
          client.append(to: &form)
          #expect(form.count <= RemoteClient.longestForm)
          #expect(RemoteClient(form: form[...]) == client)
        }
      }
    }
    #expect(RemoteClient(form: []) == nil)
  }

  // MARK: Behind proxies

  private func client(
    of peer: String, _ headers: HTTPHeaders, _ header: TrustedProxies.Header = .xForwardedFor
  ) throws -> String {
    let proxies = TrustedProxies(["10.0.0.0/8"], header: header)
    let client = proxies.client(of: try #require(NetworkAddress(peer)), headers)
    return client?.host ?? "malformed"
  }

  @Test func `a trusted proxy reports the client's address`() throws {
    #expect(try client(of: "10.0.0.1", ["X-Forwarded-For": "203.0.113.9"]) == "203.0.113.9")
    #expect(
      try client(of: "10.0.0.1", ["X-Forwarded-For": "203.0.113.9, 10.0.0.2"]) == "203.0.113.9")
    #expect(
      try client(
        of: "10.0.0.1", ["X-Forwarded-For": "203.0.113.9", "x-forwarded-for": "10.0.0.2"])
        == "203.0.113.9")
    let forwarded = "proto=https;For=\"[2001:db8::1]:4711\";by=x, for=10.0.0.2"
    #expect(try client(of: "10.0.0.1", ["Forwarded": forwarded], .forwarded) == "2001:db8::1")
  }

  @Test func `an untrusted client cannot set its address`() throws {
    #expect(try client(of: "192.0.2.1", ["X-Forwarded-For": "203.0.113.9"]) == "192.0.2.1")
    // The proxy has added the last element; the first is the client's own.
    #expect(
      try client(of: "10.0.0.1", ["X-Forwarded-For": "10.0.0.7, 203.0.113.9"]) == "203.0.113.9")
    #expect(
      try client(of: "10.0.0.1", ["X-Forwarded-For": "198.51.100.1, 203.0.113.9, 10.0.0.2"])
        == "203.0.113.9")
    #expect(try client(of: "10.0.0.1", ["Forwarded": "for=203.0.113.9"]) == "10.0.0.1")
    #expect(try client(of: "10.0.0.1", ["X-Forwarded-For": "203.0.113.9, unknown"]) == "10.0.0.1")
    #expect(try client(of: "10.0.0.1", [:]) == "10.0.0.1")
  }

  @Test(arguments: [
    ("for=203.0.113.9", "203.0.113.9"), ("FOR=\"203.0.113.9:80\"", "203.0.113.9"),
    ("for=\"[2001:db8::1]:80\";by=_x", "2001:db8::1"), ("for=\"\\203.0.113.9\"", "203.0.113.9"),
    ("proto=http;host=\"a;for=6.6.6.6;x=\";for=203.0.113.9", "203.0.113.9"),
    ("for=203.0.113.9;host=\"a, for=6.6.6.6;x=\"", "203.0.113.9"),
    ("for=203.0.113.9;host=\"a,b\"", "203.0.113.9"),
    ("for=203.0.113.9;host=\"a\\\", for=6.6.6.6\"", "203.0.113.9"),
    ("for=6.6.6.6, for=203.0.113.9;host=\",\", for=10.0.0.2", "203.0.113.9"),
    ("for=203.0.113.9 ; proto=https\t, ,\tfor=10.0.0.2,", "203.0.113.9"),
    (";for=203.0.113.9;;", "203.0.113.9"),
    // A common spelling, although the RFC requires quotes.
    ("for=[2001:db8::1]", "2001:db8::1"), ("for=203.0.113.9:80", "203.0.113.9"),
    // Obfuscated identifiers are well-formed.
    ("for=unknown", "10.0.0.1"), ("for=203.0.113.9, for=_hidden", "10.0.0.1"),
    ("for=\"unknown:80\"", "10.0.0.1"), ("proto=https", "10.0.0.1"), ("", "10.0.0.1"),
    ("for=\"203.0.113.9, for=6.6.6.6\"", "10.0.0.1"), ("for=\"\"", "10.0.0.1"),
    ("for=\"\\\"203.0.113.9\\\"\"", "10.0.0.1"),
  ])
  func `7239: Forwarded is read with its quoted strings`(value: String, expected: String) throws {
    #expect(try client(of: "10.0.0.1", ["Forwarded": value], .forwarded) == expected)
    // Earlier elements are ignored, whether well-formed or not.
    if expected == "203.0.113.9" {
      for before in ["for=\"", "for=7.7.7.7", "x", "\\"] {
        let headers: HTTPHeaders = ["Forwarded": before, "forwarded": value]
        #expect(try client(of: "10.0.0.1", headers, .forwarded) == expected)
      }
    }
  }

  @Test(arguments: [
    "for=\"203.0.113.9", "for=203.0.113.9;host=\"a", "for=\"203.0.113.9\\\"", "for=\"203.0.113.9\\",
    "for=203.0.113.9;host=\"a\"b", "for=203.0.113.9;host=a\"b\"", "for", "for=", "=203.0.113.9",
    "x",
    "for =203.0.113.9", "for= 203.0.113.9", "for=203.0.113.9 proto=https",
    "for=203.0.113.9;for=6.6.6.6",
    "for=203.0.113.9;For=unknown", "for=203.0.113.9;host=a@b", "for=203.0.113.9;ho(st=a", "\\",
    "for=203.0.113.9;\u{301}=a", "for=6.6.6.6, for=203.0.113.9;x=",
    // A proxy that does not parse the header appends its element to an unterminated string.
    "for=6.6.6.6;x=\", for=203.0.113.9",
    "for=6.6.6.6;x=\", for=203.0.113.9;host=\"a, for=7.7.7.7\"",
  ])
  func `7239: a malformed Forwarded of a trusted proxy is refused`(value: String) throws {
    #expect(try client(of: "10.0.0.1", ["Forwarded": value], .forwarded) == "malformed")
    #expect(
      try client(of: "10.0.0.1", ["Forwarded": "\(value), for=10.0.0.2"], .forwarded) == "malformed"
    )
    #expect(try client(of: "192.0.2.1", ["Forwarded": value], .forwarded) == "192.0.2.1")
  }

  @Test func `a request with a malformed Forwarded of a trusted proxy is refused with 400`() throws
  {
    var admission = WebSocketAdmission()
    admission.proxies = TrustedProxies(["10.0.0.0/8"], header: .forwarded)
    admission.addressLimits.connections = 1
    let requestHandler = RequestHandler(.init(), admission)
    for (number, peer) in ["10.0.0.1", "192.0.2.1"].enumerated() {
      let address = NetworkAddress(peer)
      var remoteClient: RemoteClient? = RemoteClient(
        number: number, peerAddress: address, address: address)
      let headers: HTTPHeaders = ["Forwarded": "for=203.0.113.9;host=\"a"]
      var status: Int?
      do throws(HandshakeRefusal) {
        try requestHandler.identify(&remoteClient, headers, isFirst: true, at: .zero)
      } catch {
        status = error.status
      }
      #expect(status == (number == 0 ? 400 : nil))
    }
  }

  // MARK: Servers

  @Test func `a connection has its number and the address of its client`() async throws {
    var admission = WebSocketAdmission()
    admission.proxies = TrustedProxies(["127.0.0.1"])
    let server = try WebSocketServer(configuration: .init().onStoppedClock, admission: admission)
    let sockets = Watched<[WebSocket]>([])
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { socket in sockets.update { $0.append(socket) } })
      .disposed(by: bag)
    for header in ["", "203.0.113.9"] {
      var configuration = WebSocketConfiguration().onStoppedClock
      if !header.isEmpty { configuration.headers = ["X-Forwarded-For": header] }
      let (socket, recorder) = WebSocket.recorded(to: server.url, configuration)
      socket.connect()
      await recorder.waitUntilConnected()
      #expect(socket.peerAddress?.description == "127.0.0.1:\(server.port)")
      await sockets.wait { $0.last?.state == .connected }
      socket.close()
      await recorder.waitUntilOver()
    }
    let requests = sockets.value.compactMap(\.request)
    #expect(requests.map(\.connectionNumber) == [1, 2])
    #expect(requests.map { $0.peerAddress?.host } == ["127.0.0.1", "127.0.0.1"])
    #expect(requests.map { $0.clientAddress?.host } == ["127.0.0.1", "203.0.113.9"])
    #expect(requests[0].clientAddress == requests[0].peerAddress)
    #expect(sockets.value.map { $0.peerAddress?.host } == ["127.0.0.1", "127.0.0.1"])
  }

  @Test func `a rejection is logged with status, path and number, below the level error`()
    async throws
  {
    try await withLoop { loop in
      let lines = Watched<[String]>([])
      var configuration = WebSocketConfiguration().onStoppedClock
      configuration.log = WebSocketLog { level, line in
        lines.update { $0.append("\(level) \(line)") }
      }
      var admission = WebSocketAdmission()
      admission.decide = { _ in .refuse(status: 401, body: "who are you?\nreally\n") }
      let sockets = ConnectionRegistry(configuration, admission)
      for request in [
        RawClient.request, "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        RawClient.request.replacing("/chat?room=1", with: "/\u{9B}31m\u{7F}"), "\u{16}\u{3}\u{1}",
        "NO\r\n\r\n",
      ] {
        let (near, far) = MemoryTransport.pair(loop: loop)
        let peer = TransportRecorder(far)
        await peer.start()
        sockets.accept(near)
        peer.send(Array(request.utf8))
        await peer.log.wait { $0.ended == 1 }
        peer.transport.close()
        await loop.settle()
      }
      #expect(
        lines.value == [
          "notice connection 1: refused with 401 Unauthorized: GET /chat: who are you?",
          "notice connection 2: refused with 426 Upgrade Required: GET /: this is a server of WebSockets",
          "notice connection 3: refused with 401 Unauthorized: GET /\\u{009B}31m\\u{7F}: who are you?",
          "notice connection 4: refused with 400 Bad Request: the client does not speak HTTP",
          "notice connection 5: refused with 400 Bad Request: the request line is not a method, a target and a version",
        ])
    }
  }
}
