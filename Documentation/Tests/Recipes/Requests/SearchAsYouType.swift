// Search as you type
//
// Problem: The results follow a text field, but not every key should send a request, and a slow
// answer must not replace a newer one.
//
// Words: autocomplete, typeahead, debounced search, live search, race condition
//
// Why: `debounce(id:for:)` starts the request when no key has been typed for 300 ms. A newer query
// takes the place of the older one of its id, and drops what the older one has already sent.
//
// Ends: The effect ends with the answer. An error becomes the action `failed`. An empty query, a
// newer query and the end of the composer cancel it, and with it the task of the request.
//
// See: debounce, flatMapLatest, Compose/ReturningEffects, ReactiveTesting/TestComposer

import Compose
import ReactiveTesting
import Testing

final class SearchField: Composer {
  enum Action: Equatable { case typed(String), found([String]), failed }
  struct State: Equatable { var query = "", titles: [String] = [], hasFailed = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let search: @Sendable (_ query: String) async throws -> [String]

  init(search: @escaping @Sendable (_ query: String) async throws -> [String]) {
    self.search = search
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .typed(""):
      state = State()
      return .cancel(id: "search")
    case .typed(let query):
      state.query = query
      return .run { [search] in
        .found(try await search(query))
      } catch: { _ in
        .send(.failed)
      }
      .debounce(id: "search", for: .milliseconds(300))
    case .found(let titles): (state.titles, state.hasFailed) = (titles, false)
    case .failed: state.hasFailed = true
    }
    return .none
  }
}

@Test func `only the query that stays for 300 ms is searched`() {
  let test = TestComposer(
    SearchField { query in
      try await EffectContext.sleep(.seconds(1))
      return ["\(query) in action"]
    })
  test.send(.typed("s")) { $0.query = "s" }
  test.advance(by: .milliseconds(700))  // The request for "s" has begun.
  test.send(.typed("swift")) { $0.query = "swift" }
  test.advance(by: .milliseconds(1_300))
  test.receive(.found(["swift in action"])) { $0.titles = ["swift in action"] }
  test.send(.typed("")) { $0 = SearchField.State() }
  test.finish()
}
