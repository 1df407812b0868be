// Typing indicator
//
// Problem: "Ada is typing" appears while Ada types, and disappears three seconds after her last
// key; our own keys should not send a message each.
//
// Words: typing status, is typing, chat presence, throttle messages
//
// Why: Each user has a timer of their own, by the id; `whenBusy: .replace` starts it anew.
// `throttle` sends the first key at once, and then at most one message in two seconds.
//
// Ends: A timer ends with `stopped`, or is cancelled when the user's message arrives. A message
// that cannot be sent is not worth an error: `ignored` does nothing.
//
// See: throttle, debounce, Compose/EffectConflictPolicy, Sockets/SocketHandle

import ReactiveTesting
import Sockets
import Testing

struct Note: Codable, Equatable, Sendable {
  var user: String
  var text: String?  // None while the user types.
}

final class TypingIndicator: Composer {
  enum Timer: Hashable { case ownKeys, silence(of: String) }
  enum Action: Equatable { case open, keyTyped, ignored, received(Note), stopped(String) }
  struct State: Equatable { var typing: Set<String> = [], lines: [String] = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket = SocketHandle()
  private let connect: @Sendable () -> any WebSocketType

  init(connect: @escaping @Sendable () -> any WebSocketType) { self.connect = connect }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open:
      return .socket(connect(), as: Note.self, handle: socket) { .received($0) }
    case .keyTyped:
      return socket.send(json: Note(user: "me")) { _ in .ignored }
        .throttle(id: Timer.ownKeys, for: .seconds(2), latest: false)
    case .received(let note):
      if let text = note.text {
        state.typing.remove(note.user)
        state.lines.append(text)
        return .cancel(id: Timer.silence(of: note.user))
      }
      state.typing.insert(note.user)
      return .send(.stopped(note.user), after: .seconds(3))
        .cancellable(id: Timer.silence(of: note.user), whenBusy: .replace)
    case .stopped(let user): state.typing.remove(user)
    case .ignored: break
    }
    return .none
  }
}

@Test func `a user types until three seconds without a key`() throws {
  let (client, server) = MockWebSocket.pair()
  let test = TestComposer(TypingIndicator { client })
  test.send(.open)
  let typing = TypingIndicator.Action.received(Note(user: "Ada"))
  try server.send(json: Note(user: "Ada"))
  test.receive(typing) { $0.typing = ["Ada"] }
  test.advance(by: .seconds(2))
  try server.send(json: Note(user: "Ada"))
  test.receive(typing)
  test.expect("---s", ["s": .stopped("Ada")]) { $0.typing = [] }
  for _ in 1...5 { test.send(.keyTyped) }
  #expect(server.received.count == 1)
  server.close()
  test.finish()
}
