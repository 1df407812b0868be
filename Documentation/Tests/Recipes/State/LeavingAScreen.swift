// Cancelling on leaving a screen
//
// Problem: A detail screen loads something; when the user goes back before it has loaded, the
// request should end, and its answer must not change anything.
//
// Words: cancel request, dismiss, navigation, back button, deinit, memory leak, onDisappear, stop a
// timer when the view disappears, dispose bag
//
// Why: The screen exists while its part of the state does. The parent sets it to nil, and the
// child's effects end with it, without an id or a bag.
//
// Ends: `close`, and everything else that removes the detail, cancels the task of the request. A
// late answer does not arrive, not even in the detail that is opened next. Timers of the detail end
// with it too. An error of the request is reported to `ComposeHooks`; a `catch` would make an action
// of it.
//
// See: Compose/Child, Compose/Navigating, Compose/EmbeddingChildren, Reactive/DisposeBag

import Compose
import ReactiveTesting
import Testing

final class Detail: Composer {
  enum Action: Equatable { case load, loaded(String) }
  struct State: Equatable {
    var id: Int
    var text: String?
  }

  @ComposableState var state = State(id: 0)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let fetch: @Sendable (Int) async throws -> String

  init(fetch: @escaping @Sendable (Int) async throws -> String) { self.fetch = fetch }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .load: return .run { [fetch, id = state.id] in .loaded(try await fetch(id)) }
    case .loaded(let text): state.text = text
    }
    return .none
  }
}

final class Catalog: Composer {
  enum Action: Equatable { case open(Int), close, detail(Detail.Action) }
  struct State: Equatable { var detail: Detail.State? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let detail: Child<State, Action, Detail>

  init(fetch: @escaping @Sendable (Int) async throws -> String) {
    detail = Child(\State.detail, Action.detail) { Detail(fetch: fetch) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open(let id):
      state.detail = Detail.State(id: id)
      return .send(.detail(.load))
    case .close: state.detail = nil
    case .detail(let action): return detail.reduce(&state, action)
    }
    return .none
  }
}

@Test func `the request of a screen ends with the screen`() {
  let test = TestComposer(
    Catalog { id in
      try await EffectContext.sleep(.seconds(2))
      return "text \(id)"
    })
  test.send(.open(1)) { $0.detail = .init(id: 1) }
  test.receive(.detail(.load))
  test.advance(by: .seconds(1))
  test.send(.close) { $0.detail = nil }
  test.send(.open(2)) { $0.detail = .init(id: 2) }
  test.receive(.detail(.load))
  test.advance(by: .seconds(2))
  test.receive(.detail(.loaded("text 2"))) { $0.detail?.text = "text 2" }
  test.finish()
}
