import ReactiveTesting
import Sockets
import Testing

@testable import chat

@Suite struct ChatComposerTests {
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
