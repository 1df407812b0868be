import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ActionCable

/// Cables over sockets against `CableServer`, without Rails.
@Suite("Cables over sockets", .workerPool)
struct CableServerTests {
  /// A server that accepts clients with a token, and echoes calls to the channel Echo.
  private func server() throws -> CableServer {
    try CableServer(
      authorize: { $0?.query.flatMap { $0.hasPrefix("token=") ? String($0.dropFirst(6)) : nil } },
      subscribe: { _, identifier in identifier["channel"] == "Echo" },
      perform: { server, _, identifier, data in
        server.broadcast(data, to: identifier)
      }
    )
  }

  @Test func `C02: text, binary, ping, pong and close are frames, in the order of the wire`()
    async throws
  {
    let server = try WebSocketServer()
    let bag = DisposeBag()
    server.connections
      .subscribe(onNext: { peer in
        try? peer.send("text")
        try? peer.send(Data([1, 2]))
        try? peer.ping(Data("are you there".utf8))
        peer.messages.subscribe(onNext: { _ in peer.close() }).disposed(by: bag)
      })
      .disposed(by: bag)
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.log.wait { $0.frames.count == 3 }
    try socket.ping(Data("and you".utf8))
    try socket.send("over")
    await recorder.waitUntilOver()
    #expect(recorder.value.frames.map(\.opcode) == [.text, .binary, .ping, .pong, .close])
  }

  @Test func `C22, C23: a call is echoed by the server`() async throws {
    let server = try server()
    let client = CableClient(server.url + "?token=ann")
    let echo = client.channel("Echo", options: .init(buffering: .buffer(limit: 10)))
    let received = Watched<[JSONValue]>([])
    let bag = DisposeBag()
    echo.messages.subscribe(onNext: { message in received.update { $0.append(message) } })
      .disposed(by: bag)
    client.connect()
    try echo.perform("speak", ["text": "hello"])
    await received.wait { $0 == [["action": "speak", "text": "hello"]] }
    client.disconnect()
  }

  @Test func `J07, C29: without a token a cable makes one connection and reports the reason`()
    async throws
  {
    let server = try server()
    let client = CableClient(server.url)
    let state = Watched<CableState>(.idle)
    let bag = DisposeBag()
    client.states.subscribe(onNext: { new in state.update { $0 = new } }).disposed(by: bag)
    client.connect()
    await state.wait { $0 == .disconnected(.announced(reason: "unauthorized")) }
  }

  @Test func `J08: after a restart the channel is subscribed again within seconds`()
    async throws
  {
    let server = try server()
    var configuration = CableConfiguration()
    configuration.reconnectJitter = nil
    let client = CableClient(server.url + "?token=ann", configuration: configuration)
    let echo = client.channel("Echo")
    let events = Watched<[CableChannelEvent]>([])
    let bag = DisposeBag()
    echo.events.subscribe(onNext: { event in events.update { $0.append(event) } }).disposed(by: bag)
    client.connect()
    await events.wait { $0 == [.subscribed(reconnected: false)] }
    server.disconnectAll("server_restart", reconnect: true)
    let cause = CableDisconnection.Cause.announced(reason: "server_restart")
    await events.wait { $0.last == .disconnected(.init(cause: cause, willReconnect: true)) }
    client.reconnectNow()
    await events.wait { $0.last == .subscribed(reconnected: true) }
  }

  @Test func `J14: a message above the limit ends the connection with its error`() async throws {
    let peer = try WebSocketServer(configuration: .init(subprotocols: ["actioncable-v1-json"]))
    let bag = DisposeBag()
    peer.connections
      .subscribe(onNext: { socket in
        try? socket.send(#"{"type":"welcome"}"#)
        try? socket.send(String(repeating: "x", count: 16 << 20 + 1))
      })
      .disposed(by: bag)
    let client = CableClient(peer.url)
    let endings = Watched<[CableDisconnection]>([])
    client.events
      .subscribe(onNext: { event in
        if case .disconnected(let ending) = event { endings.update { $0.append(ending) } }
      })
      .disposed(by: bag)
    client.connect()
    await endings.wait { !$0.isEmpty }
    guard case .failed(.socket(.protocolViolation)) = endings.value.first?.cause else {
      Issue.record("\(endings.value)")
      return
    }
    client.disconnect()
  }

  @Test func `C31: a wrong URL is an error, not a trap`() async throws {
    let client = CableClient("http://[wrong")
    let state = Watched<CableState>(.idle)
    let bag = DisposeBag()
    client.states.subscribe(onNext: { new in state.update { $0 = new } }).disposed(by: bag)
    client.connect()
    await state.wait { state in
      if case .disconnected(.failed(.socket(.invalidURL))) = state { true } else { false }
    }
  }

  @Test func `C04, A17, U7: eight threads use a cable at random, and the server ends empty`()
    async throws
  {
    #if SANITIZED
    let operations = 300
    #else
    let operations = 1_000
    #endif
    let server = try server()
    let client = CableClient(server.url + "?token=ann")
    client.connect()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(thread))
          var channels: [CableChannel] = []
          let bag = DisposeBag()
          for number in 0..<operations {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: client.connect()
            case 1 where number % 50 == 0: client.disconnect()
            case 2: client.reconnectNow()
            case 3, 4:
              let options = CableChannelOptions(
                autoSubscribe: Bool.random(using: &random),
                buffering: .buffer(limit: 4)
              )
              let room = JSONValue.integer(Int.random(in: 0..<4, using: &random))
              let channel = client.channel("Echo", ["room": room], options: options)
              channel.messages.subscribe(onNext: { _ in }).disposed(by: bag)
              channels.append(channel)
            case 5: if !channels.isEmpty { channels.removeFirst() }
            case 6, 7: channels.randomElement(using: &random)?.subscribe()
            case 8: channels.randomElement(using: &random)?.unsubscribe()
            case 9: _ = (client.state, channels.last?.state, client.unwantedMessageCount)
            default: _ = try? channels.randomElement(using: &random)?.perform("say", ["n": 1])
            }
          }
        }
      }
    }
    // All channels are released: the server receives unsubscribes, and has no subscription left.
    client.connect()
    let deadline = ContinuousClock.now + .seconds(20)
    while server.connectionCounts.subscriptions > 0 || client.identifierCount > 0 {
      guard ContinuousClock.now < deadline else {
        Issue.record("\(server.connectionCounts), \(client.identifierCount) known")
        break
      }
      await EventLoop.shared.settle()
    }
    client.disconnect()
    while server.connectionCounts.connections > 0, ContinuousClock.now < deadline {
      await EventLoop.shared.settle()
    }
    #expect(server.connectionCounts.connections == 0)
  }
}
