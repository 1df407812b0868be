import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("Recording sockets", .workerPool)
struct SocketRecordTests {
  private let inspector: Inspector
  private let echo: EchoServer
  private var server: WebSocketServer { echo.server }
  private let bag = DisposeBag()

  init() throws {
    inspector = try .ofAdded()
    echo = try EchoServer()
  }

  /// Waits until a list has so many events, and returns their kinds and texts.
  private func rows(
    _ client: InspectorClient, _ filter: AnyJSON, atLeast count: Int
  ) async throws -> [AnyJSON] {
    let query = try #require(try await client("open", ["filter": filter])["query"]?.number)
    await client.waitForEvents(count, in: query)
    let page = try await client(
      "rows", ["query": .integer(Int64(query)), "from": 0, "count": 100])
    return page["rows"]?.elements ?? []
  }

  @Test func `a client's states and messages are events, with hidden names hidden`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let socket = WebSocket(server.url)
    inspector.add(socket)
    let echoed = Watched(0)
    socket.messages.subscribe(onNext: { _ in echoed.update { $0 += 1 } }).disposed(by: bag)
    socket.connect()
    try await socket.connected()
    try socket.send(#"{"type":"hello","token":"abc123"}"#)
    try socket.send(Data([1, 2, 3]))
    await echoed.wait { $0 == 2 }
    socket.close()
    _ = try await socket.closed()
    let rows = try await rows(client, ["kinds": ["sent", "received", "socket"]], atLeast: 9)
    let texts = rows.map { "\($0["kind"]?.text ?? "") \($0["text"]?.text ?? "")" }
    #expect(texts.prefix(2) == ["socket connecting", "socket connected"])
    #expect(texts.contains("sent [token: •••, type: \"hello\"]"))
    #expect(texts.contains("received [token: •••, type: \"hello\"]"))
    #expect(texts.contains("received 3 bytes of data"))
    #expect(texts.last == "socket ended with 1000")
    #expect(!"\(rows)".contains("abc123"))
    let sent = rows.filter { $0["kind"] == "sent" }.map { $0["event"] ?? 0 }
    #expect(
      try await client("message", ["event": sent[0]])
        == ["text": #"{"type":"hello","token":"•••"}"#])
    #expect(try await client("message", ["event": sent[1]]) == ["base64": "AQID"])
    #expect(try await client.failure("message", ["event": 1])?.code == -32602)
    let listed = try #require(try await client("sockets")["sockets"]?[0])
    #expect(listed["side"] == "client")
    #expect(listed["isLive"] == false)
    #expect(listed["closeCode"] == 1000)
    #expect(listed["messageBytesSent"] == 36)
    #expect(listed["metrics"]?["messagesReceived"] == 2)
  }

  @Test func `a server is listed with its totals, and its connections are sockets`() async throws {
    inspector.add(server)
    let client = try await InspectorClient.greeted(inspector.url)
    let socket = WebSocket.connect(to: server.url)
    try await socket.connected()
    try await client("subscribe", ["view": "servers"])
    await client.notifications.wait { all in
      all.contains { $0.method == "servers" && $0.params["servers"]?[0]?["open"] == 1 }
    }
    let sockets = try await client("sockets")["sockets"]?.elements ?? []
    #expect(sockets.map { $0["side"] } == ["server"])
    let number = try #require(sockets[0]["socket"]?.number)
    try await client("cut", ["socket": .integer(Int64(number))])
    #expect(try await socket.closed().code == .abnormal)
    #expect(try await client.failure("cut", ["socket": 99])?.code == -32003)
    server.close()
    #expect(try await client("servers")["servers"] == [])
  }

  @Test func `a connection is slowed down in both directions, until its end`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let socket = WebSocket(server.url)
    inspector.add(socket)
    let echoed = Watched<[String]>([])
    socket.messages.subscribe(onNext: { message in echoed.update { $0.append(message.text ?? "") } }
    )
    .disposed(by: bag)
    #expect(try await client.failure("slow", ["socket": 99, "milliseconds": 1])?.code == -32003)
    socket.connect()
    try await socket.connected()
    try await client("slow", ["socket": 1, "milliseconds": 20])
    // The loop begins to delay soon after the answer.
    while try await client("sockets")["sockets"]?[0]?["delay"] != 20 { _ = try await socket.ping() }
    let roundTrip = try await socket.ping()
    #expect(roundTrip >= .milliseconds(40))
    for number in 1...5 { try socket.send("\(number)") }
    await echoed.wait { $0.count == 5 }
    #expect(echoed.value == ["1", "2", "3", "4", "5"])
    for wrong in [-1, 60_001] as [AnyJSON] {
      let failure = try await client.failure("slow", ["socket": 1, "milliseconds": wrong])
      #expect(failure?.code == -32602)
    }
    // The close is behind the messages.
    try socket.send("last")
    socket.close()
    #expect(try await socket.closed().code == .normal)
    #expect(echoed.value.last == "last")
    #expect(try await client("sockets")["sockets"]?[0]?["delay"] == nil)
    #expect(
      try await client.failure("slow", ["socket": 1, "milliseconds": 1])
        == InspectorClient.Failure(code: -32005, message: "\(server.url) is not connected."))
  }

  @Test func `the end of the inspector ends a delay`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let socket = WebSocket.connect(to: server.url)
    inspector.add(socket)
    try await socket.connected()
    try await client("slow", ["socket": 1, "milliseconds": 30])
    try await waitForDelay(.milliseconds(30), of: socket)
    inspector.stop()
    try await waitForDelay(.zero, of: socket)
    socket.close()
    _ = try await socket.closed()
  }

  @Test func `the end of an inspector ends no delay of another one`() async throws {
    let other = try Inspector.ofAdded()
    let socket = WebSocket.connect(to: server.url)
    for each in [inspector, other] { each.add(socket) }
    try await socket.connected()
    let client = try await InspectorClient.greeted(inspector.url)
    try await client("slow", ["socket": 1, "milliseconds": 5])
    try await waitForDelay(.milliseconds(5), of: socket)
    other.stop()
    // The loop has done by now what the other one has asked for.
    _ = try await socket.ping()
    #expect(socket.tapped.tapDelay == .milliseconds(5))
    socket.close()
    _ = try await socket.closed()
  }

  /// Waits until the loop delays so long, soon after it was told to.
  private func waitForDelay(_ delay: Duration, of socket: WebSocket) async throws {
    for _ in 0..<100 where socket.tapped.tapDelay != delay { _ = try await socket.ping() }
    #expect(socket.tapped.tapDelay == delay)
  }

  @Test func `a step that a message causes has the message as its cause`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let url = server.url
    let observed = inspector
    let feed = Composed(
      sending: Feed {
        let socket = WebSocket(url)
        observed.add(socket)
        return socket
      })
    inspector.add(feed)
    let isHeard = Watched(false)
    feed.states.subscribe(onNext: { state in isHeard.update { $0 = state.heard != nil } })
      .disposed(by: bag)
    feed.send(.start)
    await isHeard.wait { $0 }
    let steps = try await rows(client, ["kinds": ["step"], "text": "heard(\"hello\")"], atLeast: 1)
    let step = try #require(steps.first?["event"]?.number)
    let why = try await client("why", ["event": .integer(Int64(step))])
    #expect(why["causes"]?[0]?["kind"] == "received")
    #expect(why["causes"]?[0]?["text"] == "hello")
    let message = try #require(why["causes"]?[0]?["event"]?.number)
    let effects = try await client("why", ["event": .integer(Int64(message))])["effects"]
    #expect(effects?[0]?["row"]?["event"]?.number == step)
  }

  @Test func `the live sockets are listed first, then the newest, up to a limit`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    var sockets: [WebSocket] = []
    for _ in 0..<4 {
      let socket = WebSocket(server.url)
      inspector.add(socket)
      socket.connect()
      try await socket.connected()
      sockets.append(socket)
    }
    for socket in [sockets[0], sockets[3]] {
      socket.close()
      _ = try await socket.closed()
    }
    func numbers(_ params: AnyJSON) async throws -> [Int] {
      try await client("sockets", params)["sockets"]?.elements.compactMap { $0["socket"]?.number }
        ?? []
    }
    #expect(try await numbers([:]) == [3, 2, 4, 1])
    #expect(try await numbers(["limit": 3]) == [3, 2, 4])
    #expect(try await numbers(["isLive": true]) == [3, 2])
    #expect(try await numbers(["isLive": false, "limit": 1]) == [4])
    let cut = try await client("sockets", ["limit": 1])
    #expect(cut["moreSockets"] == 3 && cut["live"] == 2)
    try await client("subscribe", ["view": "sockets", "isLive": true, "limit": 1])
    await client.notifications.wait { all in
      all.contains { message in
        message.method == "sockets" && message.params["moreSockets"] == 1
          && message.params["sockets"]?.elements.count == 1
      }
    }
  }

  @Test func `a client without a connection has its attempt, its delay and its reason`()
    async throws
  {
    var configuration = InspectorConfiguration()
    configuration.observesAll = true
    let inspector = try Inspector(configuration)
    let client = try await InspectorClient.greeted(inspector.url)
    let socket = ReconnectingWebSocket(
      connect: { () throws(WebSocketError) in throw .connectionLost },
      strategy: .fixed(.seconds(617), maxAttempts: nil))
    socket.connect()
    for try await state in socket.reconnectionStates.values {
      if case .waitingToReconnect = state { break }
    }
    let listed = try await client("sockets", ["limit": 5_000])["sockets"]?.elements ?? []
    let own = listed.compactMap { $0["reconnection"] }.filter { $0["delay"] == 617 }
    #expect(
      own == [
        ["attempt": 1, "delay": 617, "reason": .string("\(WebSocketError.connectionLost)")]
      ])
    socket.close()
    inspector.stop()
  }

  @Test func `a client that reconnects is a socket with the reasons of its reconnects`()
    async throws
  {
    var configuration = InspectorConfiguration()
    configuration.observesAll = true
    let inspector = try Inspector(configuration)
    let client = try await InspectorClient.greeted(inspector.url)
    let url = server.url
    let socket = ReconnectingWebSocket(
      connect: { WebSocket(url) }, strategy: .fixed(.zero, maxAttempts: nil))
    socket.connect()
    for try await state in socket.states.values where state == .connected { break }
    try socket.send("hello")
    let listed = try await client("sockets")["sockets"]?.elements ?? []
    let own = listed.filter { $0["reconnects"] == true && $0["name"]?.text == url }
    #expect(own.count == 1)
    #expect(own.first?["detail"] == "connected")
    #expect(own.first?["reconnection"] == nil)
    socket.close()
    inspector.stop()
  }

  private final class Feed: Composer {
    enum Action { case start, heard(String), socket(SocketLifecycleEvent) }
    struct State { var heard: String? }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let make: @Sendable () -> WebSocket
    private let handle = SocketHandle()
    init(_ make: @escaping @Sendable () -> WebSocket) { self.make = make }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .start:
        return .socket(
          make(), handle: handle, received: { .heard($0.text ?? "") }, lifecycle: Action.socket)
      case .socket(.connected): return handle.send(.text("hello"))
      case .socket: break
      case .heard(let text): state.heard = text
      }
      return .none
    }
  }
}
