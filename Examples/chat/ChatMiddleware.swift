import ActionCable
import Synchronization

/// A middleware that owns the cable and reacts to actions: the `WebSocketsMiddleware` of
/// UDFWebSocketsClient's README in the names of this package.
final class ChatMiddleware: Middleware {
  enum Cancellation: Hashable {
    case connection
    case place(Int)
    case room(Int)
  }

  private let world: ChatWorld
  private let client = Mutex<CableClient?>(nil)

  init(_ world: ChatWorld) { self.world = world }

  func didReduce(_ action: ChatAction, _ state: ChatState) -> Observable<Effect<ChatAction>> {
    switch action {
    case .login(let user):
      // Actions arrive one at a time, so the lock is not held while the world makes a cable.
      let connected = client.withLock { $0 } ?? world.cable(user)
      client.withLock { $0 = connected }
      connected.connect()
      return .run(connected.states.map(ChatAction.connection))
        .cancellable(id: Cancellation.connection, whenBusy: .ignore)
    case .logout:
      let left = client.withLock { client in
        defer { client = nil }
        return client
      }
      left?.disconnect()
      return .cancelAll
    case .join(let room):
      guard let client = client.withLock({ $0 }) else { return .none }
      return .merge(
        ChatRoom.place(client.room(room), room)
          .cancellable(id: Cancellation.place(room), whenBusy: .ignore),
        ChatRoom.effect({ [weak client] in client?.room(room) }, room)
          .effect(cancellation: Cancellation.room(room))
      )
    case .leave(let room):
      return .merge(
        .cancel(id: Cancellation.place(room)),
        .cancel(id: Cancellation.room(room))
      )
    case .say(let text, let room):
      return client.withLock { $0 }.map { ChatRoom.say(text, in: $0.room(room)) } ?? .none
    case .woke:
      client.withLock { $0 }?.reconnectNow()
      return .none
    case .connection, .place, .heard, .failed: return .none
    }
  }
}
