import ActionCable

/// The state of one person's chat: the user, the rooms, and the messages received.
struct ChatState: Equatable {
  var user: String?
  /// The desired rooms, for each of which the state declares a subscription.
  var rooms: Set<Int> = []
  var connection = CableState.idle
  var places: [Int: CableChannelState] = [:]
  var heard: [ChatLine] = []
  var problems: [String] = []

  /// Whether the server has confirmed this room.
  func isIn(_ room: Int) -> Bool { places[room] == .subscribed }
}

/// A message in a room.
struct ChatLine: Equatable, Codable {
  var from: String
  var text: String
}

enum ChatAction: Equatable {
  case login(String)
  case logout
  case join(Int)
  case leave(Int)
  case say(String, room: Int)
  /// The network is available again, or the app is active again.
  case woke
  case connection(CableState)
  case place(Int, CableChannelState)
  case heard(ChatLine)
  case failed(String)
}

/// A dependency that makes cables; tests replace it.
struct ChatWorld: Sendable {
  /// Makes a client that authenticates by a token of the user.
  var cable: @Sendable (_ user: String) -> CableClient
}

extension ChatWorld {
  /// The server at this URL.
  static func live(_ url: String) -> ChatWorld {
    ChatWorld { user in CableClient("\(url)?token=user-\(user)") }
  }
}

/// A chat driven by its state: a logged-in user has a connected cable, and each desired room is a
/// channel of the cable.
final class ChatComposer: Composer {
  @ComposableState var state = ChatState()
  var action = PublishRelay<ChatAction>()
  var disposeBag = DisposeBag()
  private let world: ChatWorld
  /// The cable of the user, which the effect of the connection connects and disconnects.
  private var cable: CableClient?
  private var logins = 0

  init(_ world: ChatWorld) { self.world = world }

  /// Includes the login, because each login has a cable of its own.
  private enum ID: Hashable {
    case connection(login: Int)
    case place(Int, login: Int)
    case room(Int, login: Int)
  }

  func stateEffects(_ state: ChatState) -> [StateEffect<ChatAction>] {
    if let cable, state.user != nil {
      StateEffect(id: ID.connection(login: logins)) { cable.connection }
      for room in state.rooms.sorted() {
        StateEffect(id: ID.place(room, login: logins)) { ChatRoom.place(cable.room(room), room) }
        StateEffect(id: ID.room(room, login: logins)) {
          ChatRoom.effect({ cable.room(room) }, room).effect
        }
      }
    }
  }

  func reducer(_ state: inout ChatState, _ action: ChatAction) -> Observable<Effect<ChatAction>> {
    switch action {
    case .login(let user):
      guard state.user == nil else { break }
      cable = world.cable(user)
      logins += 1
      state.user = user
    case .logout:
      cable = nil
      state = ChatState(heard: state.heard)
    case .join(let room): state.rooms.insert(room)
    case .leave(let room):
      state.rooms.remove(room)
      state.places[room] = nil
    case .say(let text, let room):
      if let cable { return ChatRoom.say(text) { cable.room(room) } }
    case .woke: return .fireAndForget { [cable] in cable?.reconnectNow() }
    case .connection(let connection): state.connection = connection
    case .place(let room, let place): state.places[room] = place
    case .heard(let line): state.heard.append(line)
    case .failed(let problem): state.problems.append(problem)
    }
    return .none
  }
}

extension CableClient {
  /// An effect that connects the cable while it runs, and sends the cable's states.
  fileprivate var connection: Observable<Effect<ChatAction>> {
    .run(states.map(ChatAction.connection))
      .do(onSubscribed: { self.connect() }, onDispose: { self.disconnect() })
  }

  /// A subscriber of a room.
  func room(_ room: Int) -> CableChannel { channel("ChatChannel", ["chat_id": .integer(room)]) }
}
