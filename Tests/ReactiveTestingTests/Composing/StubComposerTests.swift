import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor @Suite(.workerPool) struct StubComposerTests {
  /// A view: it owns a composer, sends actions and shows the state.
  @MainActor private final class Screen {
    @Compose var composer: Search
    private(set) var shown: [String] = []
    private let disposeBag = DisposeBag()

    init(_ composer: Search) {
      _composer = Compose(wrappedValue: composer)
      self.composer.$state.select(\.query)
        .drive(onNext: { [weak self] in self?.shown.append($0) }).disposed(by: disposeBag)
    }

    func type(_ text: String) { composer.action.accept(.query(text)) }
  }

  @Test func `a stub composer records actions and does not reduce them`() {
    let stub = StubComposer(Search(api: .stub))
    let screen = Screen(stub.composer)
    screen.type("a")
    screen.type("b")
    #expect(stub.actions.map { "\($0)" } == ["query(\"a\")", "query(\"b\")"])
    #expect(stub.state.query == "")
    stub.state.query = "shown"
    #expect(screen.shown == ["", "shown"])
  }

  @Test func `a bound composer can be stubbed`() {
    let screen = Screen(Search(api: .stub))
    screen.type("a")
    let stub = StubComposer(screen.composer)
    screen.type("b")
    #expect(stub.actions.map { "\($0)" } == ["query(\"b\")"])
    #expect(screen.shown == ["", "a"])
  }

  @Test func `a stub composer starts no effects and no middleware`() {
    let stub = StubComposer(Busy())
    stub.composer.action.accept(.go)
    stub.state.isOn = false
    stub.state.isOn = true
    #expect(stub.actions.count == 1)
  }
}

private final class Busy: Composer {
  enum Action { case go }
  struct State { var isOn = true }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    Issue.record("It must not reduce.")
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isOn { StateEffect(id: 1) { .run { _ in Issue.record("Nothing may start.") } } }
  }

  func transform(action: Observable<Action>) -> Observable<Action> {
    action.do(onNext: { _ in Issue.record("Nothing may be transformed.") })
  }

  var middleware: [any Middleware<State, Action>] { [Witness()] }
}

private final class Witness: Middleware {
  func willReduce(_ action: Busy.Action, _ state: Busy.State) -> Busy.Action? {
    Issue.record("No middleware may be asked.")
    return action
  }
  func didReduce(_ action: Busy.Action, _ state: Busy.State) -> Observable<Effect<Busy.Action>> {
    Issue.record("No middleware may be called.")
    return .none
  }
}
