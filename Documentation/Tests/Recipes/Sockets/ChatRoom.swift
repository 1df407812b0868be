// A socket bound into a composer
//
// Problem: A chat opens a WebSocket when the user joins a room, shows what arrives, sends what is
// typed, and closes the socket when the user leaves.
//
// Words: chat, WebSocket client, connect, disconnect, live messages, Starscream,
// URLSessionWebSocketTask
//
// Why: The state declares the socket: it is open while `room` is set, and another room is another
// id, hence another socket. The handle sends to the socket of the effect that it was given to.
//
// Ends: Leaving closes the socket with 1001. With a `lifecycle`, an error and the end of the
// connection are actions, and the effect does not fail. A message that was not sent is the action
// `notSent`.
//
// See: Sockets/SocketEffects, Sockets/SocketHandle, Compose/StateEffect,
// ReactiveTesting/MockWebSocket

import ReactiveTesting
import Sockets
import Testing

final class ChatRoom: Composer {
  enum Action: Equatable {
    case join(String), leave, say(String), notSent
    case received(WebSocketMessage), socket(SocketLifecycleEvent)
  }
  struct State: Equatable { var room: String?, isConnected = false, lines: [String] = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket = SocketHandle()
  private let connect: @Sendable (_ room: String) -> any WebSocketType

  init(connect: @escaping @Sendable (_ room: String) -> any WebSocketType) {
    self.connect = connect
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .join(let room): state = State(room: room)
    case .leave, .socket(.disconnected): (state.room, state.isConnected) = (nil, false)
    case .say(let line): return socket.send(line) { _ in .notSent }
    case .notSent: state.lines.append("(not sent)")
    case .received(let message): state.lines.append(message.text ?? "")
    case .socket(let event): state.isConnected = event == .connected
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if let room = state.room {
      StateEffect(id: room) { [connect, socket] in
        .socket(connect(room), handle: socket, received: Action.received, lifecycle: Action.socket)
      }
    }
  }
}

@Test func `a room is joined, used and left`() throws {
  let (client, server) = MockWebSocket.pair(isOpen: false)
  let test = TestComposer(ChatRoom { _ in client })
  test.send(.join("swift")) { $0.room = "swift" }
  server.connect()
  test.receive(.socket(.connected)) { $0.isConnected = true }
  test.send(.say("hello"))
  #expect(server.received == [.text("hello")])
  try server.send("welcome")
  test.receive(.received(.text("welcome"))) { $0.lines = ["welcome"] }
  test.send(.leave) { ($0.room, $0.isConnected) = (nil, false) }
  #expect(server.state == .disconnected)
  test.finish()
}
