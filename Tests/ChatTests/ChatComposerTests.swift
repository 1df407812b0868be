import ReactiveTesting
import ActionCable
import TestSupport
import Testing

@testable import chat

@Suite(.workerPool) struct ChatComposerTests {
  /// A cable that never connects: the decisions of a composer need no server.
  private let offline = ChatWorld { _ in
    CableClient(configuration: .init()) { throw CancellationError() }
  }

  @Test func `the chat subscribes to the rooms of its state while a user is logged in`() {
    let test = TestComposer(ChatComposer(offline), exhaustivity: .off)
    test.send(.join(7)) { $0.rooms = [7] }
    #expect(test.running.isEmpty, "no user is logged in")
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

  /// A chat in which a logout and a login are one step.
  private final class ReloginChat: Composer {
    enum Action { case chat(ChatAction), again }
    @ComposableState var state = ChatState()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let chat: Child<ChatState, Action, ChatComposer>

    init(_ world: ChatWorld) {
      chat = Child(\ChatState.self, Action.chat) { ChatComposer(world) }
    }

    func reducer(_ state: inout ChatState, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .chat(let action): chat.reduce(&state, action)
      case .again: .group(.chat(.logout), .chat(.login("ann")), .chat(.join(7)))
      }
    }
  }

  @Test func `a new login of the same user in the same room observes the new cable`() {
    let test = TestComposer(ReloginChat(offline), exhaustivity: .off)
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

  @Test func `a line that cannot be sent is a problem of the chat`() {
    let test = TestComposer(ChatComposer(offline), exhaustivity: .off)
    test.send(.login("ann"))
    test.send(.say("hello", room: 7))
    test.settle()
    #expect(test.state.problems == ["nothing can be performed while the channel is pending"])
    test.send(.logout)
    test.finish()
  }

  @Test func `the chat drops the lines of its own user`() {
    let line = ChatLine(from: "ann", text: "hello")
    let actions = ChatRoom.Actions()
    #expect(actions.mapAction(from: line, state: ChatState(user: "ann")).actions == [])
    #expect(actions.mapAction(from: line, state: ChatState(user: "bob")).actions == [.heard(line)])
  }

  @Test func `a chat message without a text is an error`() throws {
    #expect(
      try ChatRoom.Outputs().map(from: ["from": "a", "text": "b"]) == ChatLine(from: "a", text: "b")
    )
    #expect(throws: DecodingError.self) { try ChatRoom.Outputs().map(from: ["from": "a"]) }
  }
}
