// Reconnecting with a status banner
//
// Problem: When the connection is lost, the app connects again by itself, and a banner shows when
// the next attempt is, with a button "Try now".
//
// Words: reconnect, connection lost, offline banner, automatic reconnection, network status, retry
// now
//
// Why: A `ReconnectingWebSocket` is used like a `WebSocket`. Its `lifecycle` has one event more,
// `waiting`, with the delay until the next attempt, and the handle ends that wait.
//
// Ends: `disconnected` is the last event: the server has closed for good, has refused, or the last
// attempt has failed. Until then the banner shows the wait. The end of the composer closes the
// socket with 1001.
//
// See: Sockets/Reconnecting, Sockets/ReconnectingWebSocket, Sockets/SocketLifecycleEvent,
// Reactive/Backoff

import ReactiveTesting
import Sockets
import Testing

final class LiveFeed: Composer {
  enum Action: Equatable { case tryNow, received(WebSocketMessage), socket(SocketLifecycleEvent) }
  enum Banner: Equatable { case connecting, none, waiting(Duration), closed }
  struct State: Equatable { var banner = Banner.connecting, lines: [String] = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket = SocketHandle()
  private let connect: @Sendable () async throws -> any WebSocketType

  init(connect: @escaping @Sendable () async throws -> any WebSocketType) { self.connect = connect }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .tryNow:
      state.banner = .connecting
      return socket.reconnectNow()
    case .received(let message): state.lines.append(message.text ?? "")
    case .socket(.connected): state.banner = .none
    case .socket(.waiting(_, let delay, _)): state.banner = .waiting(delay)
    case .socket(.disconnected): state.banner = .closed
    case .socket(.error), .socket(.undecodable): break
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    StateEffect(id: "feed") { [connect, socket] in
      .socket(
        ReconnectingWebSocket(connect: connect, strategy: .exponential(jitter: .none)),
        handle: socket, received: Action.received, lifecycle: Action.socket)
    }
  }
}

@Test func `the banner shows each wait, and tapping it ends the wait`() {
  let reachable = BehaviorRelay<MockWebSocket?>(value: nil)
  let test = TestComposer(
    LiveFeed {
      guard let client = reachable.value else { throw WebSocketError.connectionLost }
      return client
    })
  test.receive(.socket(.waiting(retry: 1, delay: .seconds(1), error: .connectionLost))) {
    $0.banner = .waiting(.seconds(1))
  }
  test.advance(by: .seconds(1))
  test.receive(.socket(.waiting(retry: 2, delay: .seconds(2), error: .connectionLost))) {
    $0.banner = .waiting(.seconds(2))
  }
  let (client, server) = MockWebSocket.pair()
  reachable.accept(client)
  test.send(.tryNow) { $0.banner = .connecting }
  test.receive(.socket(.connected)) { $0.banner = .none }
  server.close()
  test.receive(.socket(.disconnected(code: .normal, reason: ""))) { $0.banner = .closed }
  test.finish()
}
