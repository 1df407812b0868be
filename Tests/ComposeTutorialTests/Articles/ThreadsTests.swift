import Foundation
import Sockets
import TestSupport
import Testing

final class Session: Composer {
  enum Action { case received(Int) }
  struct State { var sum = 0 }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let mailbox = BufferingPolicy.bounded(1_000, .dropOldest)

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .received(let number):
      state.sum += number
      return .none
    }
  }
}

@MainActor
final class SessionScreen {
  @Compose var composer = Session()

  func listen() {
    let action = composer.action
    Task.detached { action.accept(.received(1)) }
  }
}

actor Ledger {}

@Suite("The examples of Threads.md", .workerPool(limit: 300))
struct ThreadsTests {
  @MainActor
  @Test func `the main actor reduces actions of other threads`() async {
    let screen = SessionScreen()
    screen.listen()
    for await state in screen.composer.$state.values where state.sum == 1 { break }
    #expect(screen.composer.state.sum == 1)
  }

  @Test func `the same composer reduces on each executor`() async throws {
    let (queue, ledger) = (DispatchQueue(label: "sessions"), Ledger())
    let sessions = [
      Composed(sending: Session()),
      Composed(sending: Session(), on: .queue(queue)),
      Composed(sending: Session(), on: .pool),
      Composed(sending: Session(), on: .actor(ledger)),
      Composed(sending: Session(), on: .socketLoop),
    ]
    for session in sessions {
      session.send(.received(2))
      for try await state in session.states.values where state.sum == 2 { break }
    }
  }
}
