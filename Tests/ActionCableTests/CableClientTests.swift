import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct CableClientTests {
  // MARK: Connecting

  @Test func `C01: a cable connects once, receives one welcome and disconnects once`() {
    let harness = CableHarness()
    harness.serve()
    let clientRecorder = CableClientRecorder(harness.client)
    #expect(harness.client.state == .idle)
    harness.client.disconnect()
    #expect(harness.client.state == .idle)
    harness.client.connect()
    harness.client.connect()
    #expect(harness.client.state == .connected)
    harness.advance(10)
    harness.client.disconnect()
    #expect(harness.client.state == .disconnected(.requested), "in effect before it returns")
    harness.client.disconnect()
    harness.advance(60)
    #expect(
      clientRecorder.states == [
        .idle, .connecting(attempt: 1), .awaitingWelcome, .connected, .disconnected(.requested),
      ]
    )
    let ending = CableDisconnection(cause: .requested, willReconnect: false)
    #expect(
      clientRecorder.events
        == [.connected(reconnected: false), .ping, .ping, .ping, .disconnected(ending)]
    )
    #expect(harness.sockets.map(\.closeCode) == [.normal])
  }

  @Test func `A1: a cable has one live socket, however often connect is called`() {
    let harness = CableHarness()
    harness.serve()
    let recorder = CableChannelRecorder(harness.client.channel("A"))
    for _ in 0..<3 {
      harness.client.connect()
      harness.advance(1)
      harness.client.reconnectNow()
    }
    #expect(harness.sockets.count == 1)
    harness.socket.message("once", to: CableIdentifier("A").text)
    #expect(recorder.messages == ["once"])
  }

  @Test func `A3: a disconnect by the user lasts until connect`() {
    let harness = CableHarness { $0.reconnectJitter = .seconds(2) }
    harness.serve()
    harness.client.connect()
    harness.advance(10)
    harness.client.disconnect()
    harness.client.reconnectNow()
    harness.advance(600)
    #expect(harness.sockets.count == 1)
    harness.client.connect()
    #expect(harness.client.state == .connected)
  }

  @Test func `A3: disconnect ends a pending attempt and a pending wait`() {
    let harness = CableHarness()
    harness.onConnect = { _ in }
    harness.client.connect()
    harness.client.disconnect()
    #expect(harness.client.state == .disconnected(.requested))
    #expect(harness.live.isEmpty)
    harness.onConnect = { $0.refuse() }
    harness.client.connect()
    #expect(harness.client.state == .waitingToReconnect)
    harness.client.disconnect()
    #expect(harness.client.state == .disconnected(.requested))
    harness.advance(600)
    #expect(harness.sockets.count == 2)
  }

  @Test func `A11, J12: a failed attempt is reported with its reason`() {
    let harness = CableHarness()
    let clientRecorder = CableClientRecorder(harness.client)
    let notFound = HandshakeError.rejected(status: 404, reason: "", headers: [:], body: .init())
    harness.onConnect = { $0.refuse(.handshake(notFound)) }
    harness.client.connect()
    let error = CableError.socket(.handshake(notFound))
    #expect(clientRecorder.events == [.attemptFailed(error, willRetry: true)])
    #expect("\(error)".contains("404"))
    #expect(harness.client.state == .waitingToReconnect)
  }

  @Test func `C17: without reconnecting, a cable makes one attempt and one connection`() {
    for isRefused in [true, false] {
      let harness = CableHarness { $0.reconnects = false }
      if !isRefused { harness.serve() }
      let clientRecorder = CableClientRecorder(harness.client)
      let recorder = CableChannelRecorder(harness.client.channel("A"))
      harness.client.connect()
      harness.advance(1)
      if !isRefused { harness.socket.end(.goingAway) }
      harness.advance(600)
      #expect(harness.sockets.count == 1)
      let cause: CableDisconnection.Cause =
        isRefused
        ? .failed(.socket(.transport(.refused(address: "test")))) : .closed(.goingAway, reason: "")
      #expect(harness.client.state == .disconnected(cause))
      #expect(clientRecorder.states.last == .disconnected(cause))
      let ending = CableDisconnection(cause: cause, willReconnect: false)
      #expect(recorder.events.last == .disconnected(ending), "the channel reports it too")
    }
  }

  @Test func `a server that pings and never welcomes is given up`() {
    let harness = CableHarness()
    harness.onConnect = { socket in
      socket.accept(welcome: socket.number > 1)
      socket.ping(every: .seconds(3))
    }
    harness.client.connect()
    harness.advance(30)
    #expect(harness.client.state == .connected && harness.sockets.count == 2)
  }

  @Test func `a server that sends, and to which nothing arrives any more, is given up`() throws {
    let harness = CableHarness()
    harness.serve()
    let channel = harness.client.channel("Room")
    harness.client.connect()
    harness.advance(10)
    #expect(harness.client.state == .connected)
    harness.onPing = { _, _ in }
    _ = try channel.perform("say")
    harness.advance(119.9)
    #expect(harness.sockets.count == 1)
    harness.onPing = { $0.pong($1) }
    harness.advance(1)
    #expect(harness.sockets.count == 2 && harness.client.state == .connected)
  }

  @Test func `without reconnecting, a silent connection is closed too`() {
    let harness = CableHarness { $0.reconnects = false }
    harness.serve()
    let clientRecorder = CableClientRecorder(harness.client)
    harness.client.connect()
    harness.advance(60)
    #expect(harness.client.state == .connected)
    harness.socket.breakQuietly()
    harness.advance(60)
    #expect(harness.client.state == .disconnected(.stale))
    #expect(clientRecorder.endings == [CableDisconnection(cause: .stale, willReconnect: false)])
    #expect(harness.sockets.count == 1 && harness.live.isEmpty)
    // After reconnectNow there is another attempt with its own deadline.
    harness.client.connect()
    harness.advance(60)
    #expect(harness.client.state == .connected && harness.sockets.count == 2)
  }

  @Test func `a cable's socket has no keepalive, also with a custom socket configuration`() {
    let harness = CableHarness { $0.socket.keepalive = WebSocketKeepalive() }
    harness.client.connect()
    #expect(harness.socket.configuration.keepalive == nil)
  }

  @Test func `C31: a malformed URL is an error, and the cable does not retry`() {
    let error = WebSocketError.invalidURL("http://[", .unsupportedScheme("http"))
    let harness = CableHarness()
    harness.onConnect = { $0.refuse(error) }
    harness.client.connect()
    harness.advance(60)
    #expect(harness.sockets.count == 1)
    #expect(harness.client.state == .disconnected(.failed(.socket(error))))
  }

  // MARK: Requests

  @Test func `C10, A19: the request is made anew for each attempt`() {
    let harness = CableHarness()
    var tokens = 0
    harness.request = {
      tokens += 1
      return CableRequest(
        "ws://test/cable?token=\(tokens)", headers: ["Authorization": "\(tokens)"])
    }
    harness.client.connect()
    harness.advance(20)
    #expect(harness.sockets.map(\.url) == (1...3).map { "ws://test/cable?token=\($0)" })
    #expect(harness.sockets.map { $0.configuration.headers["Authorization"] } == ["1", "2", "3"])
  }

  @Test func `a request that cannot be made is a failed attempt`() {
    struct NoToken: Error {}
    let harness = CableHarness()
    harness.serve()
    harness.request = { throw NoToken() }
    let clientRecorder = CableClientRecorder(harness.client)
    harness.client.connect()
    #expect(clientRecorder.events == [.attemptFailed(.request("NoToken()"), willRetry: true)])
    harness.request = { CableRequest("ws://test/cable") }
    harness.advance(12)
    #expect(harness.client.state == .connected)
  }

  @Test func `C09: headers go with every attempt, and those of the request take precedence`() {
    var configuration = CableConfiguration(headers: ["Cookie": "a=1", "Authorization": "old"])
    configuration.socket.subprotocols = ["mine"]
    let socket = configuration.webSocketConfiguration(
      for: CableRequest("ws://test/", headers: ["Authorization": "new", "X-Id": "7"])
    )
    #expect(socket.headers["Cookie"] == "a=1")
    #expect(socket.headers["Authorization"] == "new")
    #expect(socket.headers["X-Id"] == "7")
    #expect(socket.subprotocols == ["actioncable-v1-json", "actioncable-unsupported", "mine"])
  }

  @Test func `a header that a request repeats is sent as often, instead of the configuration's`() {
    let configuration = CableConfiguration(headers: ["cookie": "a=1", "X-Id": "7"])
    var request = CableRequest("ws://test/")
    request.headers.add("Cookie", "b=2")
    request.headers.add("Cookie", "c=3")
    let headers = configuration.webSocketConfiguration(for: request).headers
    #expect(headers.values(of: "Cookie") == ["b=2", "c=3"])
    #expect(headers["X-Id"] == "7")
  }

  @Test func `A18: a cable accepts messages of 16 MiB`() {
    #expect(
      CableConfiguration().webSocketConfiguration(for: CableRequest("ws://test/")).messageLimit
        == 16 << 20)
  }

  @Test(
    arguments: zip(
      [
        "ws://host:8080/cable", "wss://host/cable", "ws://host:80/", "wss://[::1]:8443/",
        "not a url",
      ],
      ["http://host:8080", "https://host", "http://host", "https://[::1]:8443", nil]
    )
  )
  func `J12, A19: the origin is the server's own by default`(url: String, origin: String?) {
    #expect(
      CableConfiguration().webSocketConfiguration(for: CableRequest(url)).headers["Origin"]
        == origin)
  }

  @Test func `J12: the origin can be another one, or absent`() {
    var configuration = CableConfiguration()
    configuration.origin = .custom("https://example.com")
    let request = CableRequest("ws://host/")
    #expect(
      configuration.webSocketConfiguration(for: request).headers["Origin"] == "https://example.com")
    configuration.origin = .none
    #expect(configuration.webSocketConfiguration(for: request).headers["Origin"] == nil)
    configuration.socket.headers["Origin"] = "https://mine"
    configuration.origin = .server
    #expect(configuration.webSocketConfiguration(for: request).headers["Origin"] == "https://mine")
  }

  // MARK: Staying connected

  @Test func `A4, J03: any message is a sign of life, also for a client without channels`() {
    let harness = CableHarness()
    harness.serve(pinging: nil)
    harness.client.connect()
    for _ in 0..<120 {
      harness.advance(0.5)
      harness.socket.message("tick", to: CableIdentifier("Tick").text)
    }
    #expect(harness.sockets.count == 1)
    let pinged = CableHarness()
    pinged.serve()
    pinged.client.connect()
    pinged.advance(600)
    #expect(pinged.sockets.count == 1)
  }

  @Test
  func `J08: after an announced restart the cable reconnects within seconds, at a random time`() {
    for random in [0, 0.5, 0.999] {
      let harness = CableHarness(random: random) { $0.reconnectJitter = .seconds(2) }
      harness.serve()
      let clientRecorder = CableClientRecorder(harness.client)
      harness.client.connect()
      harness.at(20) { harness.socket.disconnect("server_restart", reconnect: true) }
      harness.advance(40)
      let cause = CableDisconnection.Cause.announced(reason: "server_restart")
      #expect(clientRecorder.endings == [.init(cause: cause, willReconnect: true)])
      #expect(clientRecorder.events.contains(.connected(reconnected: true)))
      #expect(harness.trace.last?.time == 20.5 + 2 * random)
      #expect(harness.sockets.count == 2)
    }
  }

  @Test func `a cable with an endless jitter polls after an announced restart`() {
    let harness = CableHarness(random: 0.999) { $0.reconnectJitter = .seconds(Int64.max) * 18 }
    harness.serve()
    harness.client.connect()
    harness.at(20) { harness.socket.disconnect("server_restart", reconnect: true) }
    harness.advance(60)
    #expect(harness.sockets.count == 2)
  }

  @Test func `a cable does not retry at once when the server welcomes and closes`() {
    let harness = CableHarness { $0.reconnectJitter = .seconds(2) }
    harness.onConnect = { socket in
      socket.accept()
      socket.end()
    }
    harness.client.connect()
    harness.advance(600)
    #expect((20...100).contains(harness.sockets.count))
    let opened = harness.trace.filter { $0.what.hasPrefix("socket.new") }.map(\.time)
    for (first, second) in zip(opened, opened.dropFirst()) { #expect(second - first > 6) }
  }

  @Test
  func `C30: reconnectNow connects while the cable waits or is stale, and is ignored otherwise`() {
    let harness = CableHarness()
    harness.client.reconnectNow()
    #expect(harness.sockets.isEmpty)
    harness.client.connect()
    #expect(harness.client.state == .waitingToReconnect)
    harness.serve(pinging: nil)
    harness.client.reconnectNow()
    #expect(harness.client.state == .connected)
    harness.client.reconnectNow()
    #expect(harness.sockets.count == 2)
    harness.advance(6.001)
    harness.client.reconnectNow()
    #expect(harness.client.state == .connected)
    #expect(harness.sockets.count == 3)
    #expect(harness.live.count == 1)
  }

  @Test func `events of a replaced socket are ignored`() {
    let harness = CableHarness()
    harness.serve(pinging: nil)
    let recorder = CableChannelRecorder(harness.client.channel("A"))
    harness.client.connect()
    harness.advance(1)
    let old = harness.socket
    harness.client.disconnect()
    harness.client.connect()
    let states = recorder.states
    old.receive(#"{"type":"disconnect","reason":"late","reconnect":false}"#)
    old.fail(.connectionLost)
    #expect(harness.client.state == .connected)
    #expect(recorder.states == states)
  }

  @Test func `C17: every frame is logged at debug, and nothing by default`() {
    let lines = Locked<[String]>([])
    let harness = CableHarness {
      $0.log = WebSocketLog(.debug) { level, line in
        lines.withLock { $0.append("[\(level)] \(line)") }
      }
    }
    harness.serve()
    let a = harness.client.channel("A")
    harness.client.connect()
    harness.advance(4)
    harness.socket.fail(.connectionLost)
    let log = lines.withLock { $0 }
    #expect(log.contains(#"[debug] < {"type":"welcome"}"#))
    #expect(log.contains { $0.hasPrefix(#"[debug] > {"command":"subscribe""#) })
    #expect(log.contains { $0.contains(#""type":"ping""#) })
    #expect(log.contains { $0.hasPrefix("[warning] cable ws://test/cable: failed") })
    #expect(a.state == .pending)
    #expect(CableConfiguration().log.level == nil)
  }

  @Test func `C12, A16: a released client is freed, and does not reconnect`() {
    weak var client: CableClient?
    weak var channel: CableChannel?
    let harness = CableHarness { $0.reconnectJitter = .seconds(2) }
    harness.serve()
    weak var socket: ScriptedSocket?
    do {
      var held: CableChannel? = harness.client.channel("A")
      let clientRecorder = CableClientRecorder(harness.client)
      let recorder = held.map(CableChannelRecorder.init)
      (client, channel) = (harness.client, held)
      harness.client.connect()
      harness.advance(10)
      socket = harness.socket
      held = nil
      #expect(channel != nil, "a subscription keeps it")
      harness.release()
      #expect(recorder?.ends == 1)
      #expect(clientRecorder.ends == 1)
    }
    #expect(client == nil)
    #expect(channel == nil)
    #expect(socket?.closeCode == .normal)
    harness.advance(60)
    #expect(harness.sockets.count == 1)
  }

  @Test func `a channel that outlives its client does nothing`() {
    let harness = CableHarness()
    harness.serve()
    let channel = harness.client.channel("A")
    harness.client.connect()
    harness.advance(1)
    harness.release()
    let recorder = CableChannelRecorder(channel)
    channel.unsubscribe()
    channel.subscribe()
    #expect(throws: CableError.notSubscribed(.pending)) { try channel.perform("speak") }
    harness.advance(60)
    #expect(harness.sockets.count == 1)
    #expect(recorder.ends == 1)
  }
}
