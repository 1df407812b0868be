import Compose

/// A search of an app: an async effect behind a debounce.
final class SearchComposer: Composer {
  enum Action: Equatable { case query(String), found([String]), cleared }
  struct State: Equatable {
    var query = ""
    var results: [String] = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .query(let query):
      state.query = query
      return .run { effect in
        try await EffectContext.sleep(.seconds(2))
        async let first = query + "1"
        async let second = query + "2"
        effect.onNext(.send(.found([await first, await second])))
      }
      .debounce(id: "search", for: .milliseconds(300))
    case .found(let results):
      state.results = results
      return .none
    case .cleared:
      state = State()
      return .cancel(id: "search")
    }
  }
}
