import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct CableClientTests {
  // MARK: Connecting

  @Test func `C01: connects once, is let in, and disconnects once`() {
    let stage = CableStage()
    stage.serve()
    let logbook = CableLogbook(stage.client)
    #expect(stage.client.state == .idle)
    stage.client.disconnect()
    #expect(stage.client.state == .idle)
    stage.client.connect()
    stage.client.connect()
    #expect(stage.client.state == .connected)
    stage.advance(10)
    stage.client.disconnect()
    #expect(stage.client.state == .disconnected(.requested), "in effect before it returns")
    stage.client.disconnect()
    stage.advance(60)
    #expect(
      logbook.states == [
        .idle, .connecting(attempt: 1), .awaitingWelcome, .connected, .disconnected(.requested),
      ]
    )
    let ending = CableDisconnection(cause: .requested, willReconnect: false)
    #expect(
      logbook.events
        == [.connected(reconnected: false), .ping, .ping, .ping, .disconnected(ending)]
    )
    #expect(stage.sockets.map(\.closeCode) == [.normal])
  }

  @Test func `A1: there is one live socket, however often it is connected`() {
    let stage = CableStage()
    stage.serve()
    let recorder = CableDiary(stage.client.channel("A"))
    for _ in 0..<3 {
      stage.client.connect()
      stage.advance(1)
      stage.client.reconnectNow()
    }
    #expect(stage.sockets.count == 1)
    stage.socket.message("once", to: CableIdentifier("A").text)
    #expect(recorder.messages == ["once"])
  }

  @Test func `A3: a disconnect of the user's lasts until connect`() {
    let stage = CableStage { $0.promptReconnect = .seconds(2) }
    stage.serve()
    stage.client.connect()
    stage.advance(10)
    stage.client.disconnect()
    stage.client.reconnectNow()
    stage.advance(600)
    #expect(stage.sockets.count == 1)
    stage.client.connect()
    #expect(stage.client.state == .connected)
  }

  @Test func `A3: disconnect while it is connecting, or waits, ends that too`() {
    let stage = CableStage()
    stage.onConnect = { _ in }
    stage.client.connect()
    stage.client.disconnect()
    #expect(stage.client.state == .disconnected(.requested))
    #expect(stage.live.isEmpty)
    stage.onConnect = { $0.refuse() }
    stage.client.connect()
    #expect(stage.client.state == .waitingToReconnect)
    stage.client.disconnect()
    #expect(stage.client.state == .disconnected(.requested))
    stage.advance(600)
    #expect(stage.sockets.count == 2)
  }

  @Test func `A11, J12: an attempt that fails is told, with the reason`() {
    let stage = CableStage()
    let logbook = CableLogbook(stage.client)
    let notFound = HandshakeError.rejected(status: 404, reason: "", headers: [:], body: .init())
    stage.onConnect = { $0.refuse(.handshake(notFound)) }
    stage.client.connect()
    let error = CableError.socket(.handshake(notFound))
    #expect(logbook.events == [.attemptFailed(error, willRetry: true)])
    #expect("\(error)".contains("404"))
    #expect(stage.client.state == .waitingToReconnect)
  }

  @Test func `C17: without reconnecting there is one attempt, and one connection`() {
    for isRefused in [true, false] {
      let stage = CableStage { $0.reconnects = false }
      if !isRefused { stage.serve() }
      let logbook = CableLogbook(stage.client)
      let recorder = CableDiary(stage.client.channel("A"))
      stage.client.connect()
      stage.advance(1)
      if !isRefused { stage.socket.end(.goingAway) }
      stage.advance(600)
      #expect(stage.sockets.count == 1)
      let cause: CableDisconnection.Cause =
        isRefused
        ? .failed(.socket(.transport(.refused(address: "test")))) : .closed(.goingAway, reason: "")
      #expect(stage.client.state == .disconnected(cause))
      #expect(logbook.states.last == .disconnected(cause))
      let ending = CableDisconnection(cause: cause, willReconnect: false)
      #expect(recorder.events.last == .disconnected(ending), "the channel is told, too")
    }
  }

  @Test func `without reconnecting, too, a connection that fell silent is closed`() {
    let stage = CableStage { $0.reconnects = false }
    stage.serve()
    let logbook = CableLogbook(stage.client)
    stage.client.connect()
    stage.advance(60)
    #expect(stage.client.state == .connected)
    stage.socket.breakQuietly()
    stage.advance(60)
    #expect(stage.client.state == .disconnected(.stale))
    #expect(logbook.endings == [CableDisconnection(cause: .stale, willReconnect: false)])
    #expect(stage.sockets.count == 1 && stage.live.isEmpty)
    // Asked for, there is another one, which is given its time.
    stage.client.connect()
    stage.advance(60)
    #expect(stage.client.state == .connected && stage.sockets.count == 2)
  }

  @Test func `a socket of one's own configuration has no keepalive either`() {
    let stage = CableStage { $0.socket.keepalive = WebSocketKeepalive() }
    stage.client.connect()
    #expect(stage.socket.configuration.keepalive == nil)
  }

  @Test func `C31: a bad URL is an error, and not tried again`() {
    let error = WebSocketError.invalidURL("http://[", .unsupportedScheme("http"))
    let stage = CableStage()
    stage.onConnect = { $0.refuse(error) }
    stage.client.connect()
    stage.advance(60)
    #expect(stage.sockets.count == 1)
    #expect(stage.client.state == .disconnected(.failed(.socket(error))))
  }

  // MARK: What it connects to

  @Test func `C10, A19: the request is asked for at each attempt`() {
    let stage = CableStage()
    var tokens = 0
    stage.request = {
      tokens += 1
      return CableRequest(
        "ws://test/cable?token=\(tokens)", headers: ["Authorization": "\(tokens)"])
    }
    stage.client.connect()
    stage.advance(20)
    #expect(stage.sockets.map(\.url) == (1...3).map { "ws://test/cable?token=\($0)" })
    #expect(stage.sockets.map { $0.configuration.headers["Authorization"] } == ["1", "2", "3"])
  }

  @Test func `a request that cannot be made is a failed attempt`() {
    struct NoToken: Error {}
    let stage = CableStage()
    stage.serve()
    stage.request = { throw NoToken() }
    let logbook = CableLogbook(stage.client)
    stage.client.connect()
    #expect(logbook.events == [.attemptFailed(.request("NoToken()"), willRetry: true)])
    stage.request = { CableRequest("ws://test/cable") }
    stage.advance(12)
    #expect(stage.client.state == .connected)
  }

  @Test func `C09: headers go with every attempt, and the request's take precedence`() {
    var configuration = CableConfiguration(headers: ["Cookie": "a=1", "Authorization": "old"])
    configuration.socket.subprotocols = ["mine"]
    let socket = configuration.socket(
      for: CableRequest("ws://test/", headers: ["Authorization": "new", "X-Id": "7"])
    )
    #expect(socket.headers["Cookie"] == "a=1")
    #expect(socket.headers["Authorization"] == "new")
    #expect(socket.headers["X-Id"] == "7")
    #expect(socket.subprotocols == ["actioncable-v1-json", "actioncable-unsupported", "mine"])
  }

  @Test func `A18: a message may have 16 MiB`() {
    #expect(CableConfiguration().socket(for: CableRequest("ws://test/")).messageLimit == 16 << 20)
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
  func `J12, A19: the origin is the server's own`(url: String, origin: String?) {
    #expect(CableConfiguration().socket(for: CableRequest(url)).headers["Origin"] == origin)
  }

  @Test func `J12: the origin may be another one, or none`() {
    var configuration = CableConfiguration()
    configuration.origin = .custom("https://example.com")
    let request = CableRequest("ws://host/")
    #expect(configuration.socket(for: request).headers["Origin"] == "https://example.com")
    configuration.origin = .none
    #expect(configuration.socket(for: request).headers["Origin"] == nil)
    configuration.socket.headers["Origin"] = "https://mine"
    configuration.origin = .server
    #expect(configuration.socket(for: request).headers["Origin"] == "https://mine")
  }

  // MARK: Staying connected

  @Test func `A4, J03: any message is a sign of life, also for a client without channels`() {
    let stage = CableStage()
    stage.serve(pinging: nil)
    stage.client.connect()
    for _ in 0..<120 {
      stage.advance(0.5)
      stage.socket.message("tick", to: CableIdentifier("Tick").text)
    }
    #expect(stage.sockets.count == 1)
    let pinged = CableStage()
    pinged.serve()
    pinged.client.connect()
    pinged.advance(600)
    #expect(pinged.sockets.count == 1)
  }

  @Test func `J08: an announced restart is over within seconds, at a time of random`() {
    for random in [0, 0.5, 0.999] {
      let stage = CableStage(random: random) { $0.promptReconnect = .seconds(2) }
      stage.serve()
      let logbook = CableLogbook(stage.client)
      stage.client.connect()
      stage.at(20) { stage.socket.disconnect("server_restart", reconnect: true) }
      stage.advance(40)
      let cause = CableDisconnection.Cause.announced(reason: "server_restart")
      #expect(logbook.endings == [.init(cause: cause, willReconnect: true)])
      #expect(logbook.events.contains(.connected(reconnected: true)))
      #expect(stage.trace.last?.time == 20.5 + 2 * random)
      #expect(stage.sockets.count == 2)
    }
  }

  @Test func `a server that lets in and closes at once is not hammered`() {
    let stage = CableStage { $0.promptReconnect = .seconds(2) }
    stage.onConnect = { socket in
      socket.accept()
      socket.end()
    }
    stage.client.connect()
    stage.advance(600)
    #expect((20...100).contains(stage.sockets.count))
    let opened = stage.trace.filter { $0.what.hasPrefix("socket.new") }.map(\.time)
    for (first, second) in zip(opened, opened.dropFirst()) { #expect(second - first > 6) }
  }

  @Test func `C30: reconnectNow opens at once when it waits or is stale, and is nothing otherwise`()
  {
    let stage = CableStage()
    stage.client.reconnectNow()
    #expect(stage.sockets.isEmpty)
    stage.client.connect()
    #expect(stage.client.state == .waitingToReconnect)
    stage.serve(pinging: nil)
    stage.client.reconnectNow()
    #expect(stage.client.state == .connected)
    stage.client.reconnectNow()
    #expect(stage.sockets.count == 2)
    stage.advance(6.001)
    stage.client.reconnectNow()
    #expect(stage.client.state == .connected)
    #expect(stage.sockets.count == 3)
    #expect(stage.live.count == 1)
  }

  @Test func `what an old socket still says is not heard`() {
    let stage = CableStage()
    stage.serve(pinging: nil)
    let recorder = CableDiary(stage.client.channel("A"))
    stage.client.connect()
    stage.advance(1)
    let old = stage.socket
    stage.client.disconnect()
    stage.client.connect()
    let states = recorder.states
    old.receive(#"{"type":"disconnect","reason":"late","reconnect":false}"#)
    old.fail(.connectionLost)
    #expect(stage.client.state == .connected)
    #expect(recorder.states == states)
  }

  @Test func `C17: at debug every frame is written to the log, and nothing by default`() {
    let lines = Locked<[String]>([])
    let stage = CableStage {
      $0.log = WebSocketLog(.debug) { level, line in
        lines.withLock { $0.append("[\(level)] \(line)") }
      }
    }
    stage.serve()
    let a = stage.client.channel("A")
    stage.client.connect()
    stage.advance(4)
    stage.socket.fail(.connectionLost)
    let log = lines.withLock { $0 }
    #expect(log.contains(#"[debug] < {"type":"welcome"}"#))
    #expect(log.contains { $0.hasPrefix(#"[debug] > {"command":"subscribe""#) })
    #expect(log.contains { $0.contains(#""type":"ping""#) })
    #expect(log.contains { $0.hasPrefix("[warning] cable ws://test/cable: failed") })
    #expect(a.state == .pending)
    #expect(CableConfiguration().log.level == nil)
  }

  @Test func `C12, A16: what was let go of is gone, and reconnects no more`() {
    weak var client: CableClient?
    weak var channel: CableChannel?
    let stage = CableStage { $0.promptReconnect = .seconds(2) }
    stage.serve()
    weak var socket: ScriptedSocket?
    do {
      var held: CableChannel? = stage.client.channel("A")
      let logbook = CableLogbook(stage.client)
      let recorder = held.map(CableDiary.init)
      (client, channel) = (stage.client, held)
      stage.client.connect()
      stage.advance(10)
      socket = stage.socket
      held = nil
      #expect(channel != nil, "a subscription keeps it")
      stage.release()
      #expect(recorder?.ends == 1)
      #expect(logbook.ends == 1)
    }
    #expect(client == nil)
    #expect(channel == nil)
    #expect(socket?.closeCode == .normal)
    stage.advance(60)
    #expect(stage.sockets.count == 1)
  }

  @Test func `a channel that outlives its client is inert`() {
    let stage = CableStage()
    stage.serve()
    let channel = stage.client.channel("A")
    stage.client.connect()
    stage.advance(1)
    stage.release()
    let recorder = CableDiary(channel)
    channel.unsubscribe()
    channel.subscribe()
    #expect(throws: CableError.notSubscribed(.pending)) { try channel.perform("speak") }
    stage.advance(60)
    #expect(stage.sockets.count == 1)
    #expect(recorder.ends == 1)
  }
}
