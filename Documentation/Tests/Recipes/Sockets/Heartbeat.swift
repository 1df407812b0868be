// Heartbeat
//
// Problem: The server wants the text "beat" every 20 seconds, and a connection on which nothing
// arrives for 45 seconds should be replaced.
//
// Words: keepalive, ping pong, idle timeout, dead connection, half open
//
// Why: Both timers are state effects, which run while the socket is connected. The id of the
// silence has the number of messages in it, so that each message starts it anew; that of the socket
// has the number of silences.
//
// Ends: The timers end with the connection. A beat that cannot be sent needs no action, because
// `lifecycle` reports the loss. When the server knows WebSocket pings, `WebSocketKeepalive` does
// all of this.
//
// See: interval, timeout, Compose/StateEffect, Sockets/WebSocketKeepalive, Sockets/Connecting

import ReactiveTesting
import Sockets
import Testing

final class Monitor: Composer {
  enum Action: Equatable {
    case received(WebSocketMessage), socket(SocketLifecycleEvent), notSent, silent
  }
  struct State: Equatable { var isConnected = false, received = 0, silences = 0 }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket = SocketHandle()
  private let connect: @Sendable () -> any WebSocketType

  init(connect: @escaping @Sendable () -> any WebSocketType) { self.connect = connect }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .received: state.received += 1
    case .socket(let event): state.isConnected = event == .connected
    case .notSent: break
    case .silent:
      state.silences += 1
      state.isConnected = false
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    StateEffect(id: "socket \(state.silences)") { [connect, socket] in
      .socket(connect(), handle: socket, received: Action.received, lifecycle: Action.socket)
    }
    if state.isConnected {
      StateEffect(id: "beat") { [socket] in
        .interval(socket.send("beat") { _ in .notSent }, period: .seconds(20))
      }
      StateEffect(id: "silence \(state.received)") { .send(.silent, after: .seconds(45)) }
    }
  }
}

@Test func `beats are sent, and a silent connection is replaced`() throws {
  let (client, server) = MockWebSocket.pair()
  let (secondClient, secondServer) = MockWebSocket.pair()
  let next = BehaviorRelay(value: client)
  let test = TestComposer(Monitor { next.value })
  test.receive(.socket(.connected)) { $0.isConnected = true }
  test.advance(by: .seconds(40))
  #expect(server.received == [.text("beat"), .text("beat")])
  try server.send("news")
  test.receive(.received(.text("news"))) { $0.received = 1 }
  next.accept(secondClient)
  test.advance(by: .seconds(45))
  test.receive(.silent) { ($0.silences, $0.isConnected) = (1, false) }
  #expect(server.state == .disconnected)
  test.receive(.socket(.connected)) { $0.isConnected = true }
  #expect(secondServer.state == .connected)
  test.finish()
}
