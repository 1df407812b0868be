import ReactiveTesting
import Sockets
import TestSupport
import Testing

@testable import chat

@Suite(.workerPool) struct ChatComposerTests {
  /// A cable that is never connected: what composers decide needs no server.
  private let offline = ChatWorld { _ in
    CableClient(configuration: .init()) { throw CancellationError() }
  }

  @Test func `rooms are what the state asks for`() {
    let test = TestComposer(ChatComposer(offline), exhaustivity: .off)
    test.send(.join(7)) { $0.rooms = [7] }
    #expect(test.running.isEmpty, "nobody is logged in")
    test.send(.login("ann"))
    #expect(test.state.user == "ann")
    test.settle()
    #expect(test.state.places == [7: .pending])
    test.send(.leave(7))
    #expect(test.state.rooms.isEmpty)
    #expect(test.state.places.isEmpty)
    test.send(.logout)
    #expect(test.state.user == nil)
    test.finish()
  }

  /// A chat in which somebody logs in anew as one step.
  private final class Hasty: Composer {
    enum Action { case chat(ChatAction), again }
    @ComposableState var state = ChatState()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let chat: ChatComposer

    init(_ world: ChatWorld) { chat = ChatComposer(world) }

    func reducer(_ state: inout ChatState, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .chat(let action): reduce(chat, &state, action) { .chat($0) }
      case .again: .group(.chat(.logout), .chat(.login("ann")), .chat(.join(7)))
      }
    }

    func stateEffects(_ state: ChatState) -> [StateEffect<Action>] {
      stateEffects(of: chat, state) { .chat($0) }
    }
  }

  @Test func `a new cable is listened to, also when the same person uses it in the same room`() {
    let test = TestComposer(Hasty(offline), exhaustivity: .off)
    test.send(.chat(.login("ann")))
    test.send(.chat(.join(7)))
    test.settle()
    #expect(test.state.places == [7: .pending])
    test.send(.again)
    test.settle()
    #expect(test.state.places == [7: .pending])
    test.send(.chat(.logout))
    test.finish()
  }

  @Test func `a middleware's cable is made once, and while nothing is held`() {
    let (middleware, made) = (Locked<ChatMiddleware?>(nil), Locked(0))
    let world = ChatWorld { [offline] user in
      made.withLock { $0 += 1 }
      _ = middleware.withLock { $0 }?.didReduce(.woke, ChatState())
      return offline.cable(user)
    }
    let chat = ChatMiddleware(world)
    _ = middleware.replace(with: chat)
    for _ in 0..<2 { _ = chat.didReduce(.login("ann"), ChatState(user: "ann")) }
    #expect(made.withLock { $0 } == 1)
    _ = chat.didReduce(.logout, ChatState())
    _ = middleware.replace(with: nil)
  }

  @Test func `what cannot be said is a problem`() {
    let test = TestComposer(ChatComposer(offline), exhaustivity: .off)
    test.send(.login("ann"))
    test.send(.say("hello", room: 7))
    test.settle()
    #expect(test.state.problems == ["nothing can be performed while the channel is pending"])
    test.send(.logout)
    test.finish()
  }

  @Test func `what one says oneself is not heard`() {
    let line = ChatLine(from: "ann", text: "hello")
    let actions = ChatRoom.Actions()
    #expect(actions.mapAction(from: line, state: ChatState(user: "ann")).actions == [])
    #expect(actions.mapAction(from: line, state: ChatState(user: "bob")).actions == [.heard(line)])
  }

  @Test func `a message that is no line is an error`() throws {
    #expect(
      try ChatRoom.Outputs().map(from: ["from": "a", "text": "b"]) == ChatLine(from: "a", text: "b")
    )
    #expect(throws: DecodingError.self) { try ChatRoom.Outputs().map(from: ["from": "a"]) }
  }
}
