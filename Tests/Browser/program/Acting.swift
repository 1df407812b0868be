import Inspector

/// A composer whose actions can be sent from the page.
final class Acting: Composer {
  enum Action: Codable, Sendable {
    case add(Int)
    case rename(title: String)
    case load(query: String)
    case loaded(String)
    case wait
    case cancel
    case fail
    case row(Int, Row)
  }

  enum Row: Codable, Sendable { case title(String), mark(as: Mark), remove }
  enum Mark: String, Codable, Sendable { case done, open }

  struct State: Codable, Equatable, Sendable {
    var count = 0
    var title = "first"
    var results: [String] = []
  }

  struct Failure: Error {}

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let number): state.count += number
    case .rename(let title): state.title = title
    case .load(let query): return .send(.loaded(query), after: .milliseconds(100))
    case .loaded(let result): state.results.append(result)
    case .wait: return .run(.never()).cancellable(id: "wait")
    case .cancel: return .cancel(id: "wait")
    case .row(let number, let row): state.results.append("\(number) \(row)")
    case .fail: return .run { _ in throw Failure() }
    }
    return .none
  }

  static func all() -> [AnyObject] { [Composed(sending: Acting())] }
}
