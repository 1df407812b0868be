import Inspector

/// A composer with the kinds of effects that an inspector shows.
final class Sample: Composer {
  enum Action: Codable, Equatable, Sendable {
    case add(Int)
    case load(query: String)
    case loaded([Row])
    case poll
    case ticked
    case stop
    case fail
    case logIn(password: String)
    case watch(Bool)
  }

  struct Row: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    var title: String
  }

  struct State: Codable, Equatable, Sendable {
    var count = 0
    var rows: [Row] = []
    var isWatching = false
    var password = ""
  }

  struct Failure: Error {}

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let number): state.count += number
    case .load(let query):
      return .run { effect in effect(.loaded([Row(id: 1, title: query)])) }
        .cancellable(id: "load")
    case .loaded(let rows): state.rows = rows
    case .poll: return .send(.ticked, after: .seconds(5))
    case .ticked:
      state.count += 1
      return .send(.add(10))
    case .stop: return .cancel(&disposeBag)
    case .fail: return .run { _ in throw Failure() }
    case .logIn(let password): state.password = password
    case .watch(let isWatching): state.isWatching = isWatching
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isWatching { StateEffect(id: "watch") { .never() } }
  }
}
