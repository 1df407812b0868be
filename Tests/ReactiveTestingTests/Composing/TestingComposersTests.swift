import Compose
import ReactiveTesting
import TestSupport
import Testing

// The examples of the article "Testing composers", unchanged.

private final class SearchComposer: Composer {
  struct Api: Sendable {
    var find: @Sendable (String) async throws -> [String]
  }
  enum Action: Equatable { case query(String), found([String]), cleared }
  struct State: Equatable {
    var query = ""
    var results: [String] = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let api: Api

  init(api: Api) { self.api = api }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .query(let query):
      state.query = query
      return .run { [api] effect in
        effect.onNext(.send(.found(try await api.find(query))))
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

extension SearchComposer.Action {
  fileprivate var found: [String]? { if case .found(let results) = self { results } else { nil } }
}

@MainActor private final class SearchScreen {
  @Compose var composer: SearchComposer
  private(set) var rows: [String] = []
  private let disposeBag = DisposeBag()

  init(_ composer: SearchComposer) {
    _composer = Compose(wrappedValue: composer)
    composer.$state.select(\.results)
      .drive(onNext: { [weak self] in self?.rows = $0 }).disposed(by: disposeBag)
  }

  func type(_ text: String) { composer.action.accept(.query(text)) }
}

@Suite(.workerPool) struct TestingComposersTests {
  private let api = SearchComposer.Api { query in
    try await EffectContext.sleep(.seconds(2))
    return [query + "1"]
  }

  @Test func `the article's search finds the last query`() {
    let api = SearchComposer.Api { query in
      try await EffectContext.sleep(.seconds(2))
      return [query + "1"]
    }
    let test = TestComposer(SearchComposer(api: api))
    test.send(.query("s")) { $0.query = "s" }
    test.advance(by: .milliseconds(200))
    test.send(.query("sw")) { $0.query = "sw" }
    test.advance(by: .milliseconds(2_300))
    test.receive(.found(["sw1"])) { $0.results = ["sw1"] }
    test.finish()
  }

  @Test func `a test begins with a state of its own`() {
    let test = TestComposer(
      SearchComposer(api: api), state: SearchComposer.State(query: "sw", results: ["sw1"]))
    #expect(test.state.results == ["sw1"])
    test.send(.found(["sw2"])) { $0.results = ["sw2"] }
    test.finish()
  }

  @Test func `failures have the texts in TestingComposers.md`() {
    let test = TestComposer(SearchComposer(api: api))
    fails(
      """
      The state after send(query("s")) is not the expected one:
          query: expected "x", got "s"
      """
    ) { test.send(.query("s")) { $0.query = "x" } }
    test.advance(by: .milliseconds(200))
    test.send(.query("sw")) { $0.query = "sw" }
    test.advance(by: .milliseconds(2_300))
    fails(
      """
      Another action was received:
          expected  cleared
          got       found(["sw1"]) (step 3, at 2.5 s, sent by effect 2 (search) of query("sw"))
      """
    ) { test.receive(.cleared) }
    test.finish()

    let other = TestComposer(SearchComposer(api: api))
    other.send(.query("s")) { $0.query = "s" }
    other.advance(by: .milliseconds(200))
    other.send(.query("sw")) { $0.query = "sw" }
    fails(
      """
      1 effect still runs at finish():
          effect 2 (search) of query("sw") (step 2), running since 0.2 s
      """
    ) { other.finish() }
  }

  @Test func `receive accepts actions in five forms`() {
    func test(_ body: (TestComposer<Repeater>) -> Void) {
      let test = TestComposer(Repeater())
      test.send(.query(""))
      body(test)
      test.finish()
    }
    test { test in test.receive(.found(["a"])) { $0.results = ["a"] } }
    test { test in test.receive(SearchComposer.Action.found) { $1.results = $0 } }
    test { test in test.receive(\.found) { $1.results = $0 } }
    test { test in test.receive(where: { $0 != .cleared }) { $0.results = ["a"] } }
    let group = TestComposer(Repeater())
    group.send(.query("group"))
    group.receive(group: .found(["a"]), .cleared) { $0.results = [] }
    group.finish()
  }

  @Test func `the article's search ends in an action diagram`() {
    let test = TestComposer(SearchComposer(api: api))
    test.send(.query("a")) { $0.query = "a" }
    test.expect("---(f|)", ["f": .found(["a1"])]) { $0.results = ["a1"] }
    test.finish()

    let early = TestComposer(SearchComposer(api: api), exhaustivity: .off)
    early.send(.query("a"))
    fails("    expected  --(f|)\n    got       ---") {
      early.expect("--(f|)", ["f": .found(["a1"])])
    }
    early.finish()
  }

  @Test func `the article's clear action calls no dependency`() {
    let test = TestComposer(SearchComposer(api: .init(find: unimplemented("Api.find"))))
    test.send(.cleared)
    test.finish()
  }

  @Test func `the article's search keeps results during the next query`() {
    Given(
      SearchComposer(api: .init(find: unimplemented("Api.find"))),
      .init(query: "a", results: ["a1"])
    )
    .when(.query("b"))
    .then { $0.query = "b" }
    .thenSends()
  }

  @MainActor @Test func `the article's screen sends queries and shows results of a stub`() {
    let stub = StubComposer(SearchComposer(api: .init(find: unimplemented("Api.find"))))
    let screen = SearchScreen(stub.composer)
    screen.type("a")
    #expect(stub.actions == [.query("a")])
    stub.state.results = ["a1"]
    #expect(screen.rows == ["a1"])
  }

  @MainActor @Test func `the article's screen, server and test share a virtual time`() {
    let time = VirtualTime()
    let screen = time.run { SearchScreen(SearchComposer(api: api)) }
    let session = Composed(sending: SearchComposer(api: api), on: .virtual(time))
    let test = TestComposer(SearchComposer(api: api), in: time)
    screen.type("a")
    session.send(.query("b"))
    test.advance(by: .seconds(60))
    #expect(screen.rows == ["a1"])
    #expect(session.state.results == ["b1"])
    test.finish()
  }
}

/// Sends the actions of a search.
private final class Repeater: Composer {
  typealias Action = SearchComposer.Action
  typealias State = SearchComposer.State

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .query("group"): return .group(.found(["a"]), .cleared)
    case .query: return .send(.found(["a"]))
    case .found(let results):
      state.results = results
      return .none
    case .cleared:
      state.results = []
      return .none
    }
  }
}
