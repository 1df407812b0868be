import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class ScreenA: Composer {
  enum Action { case increment, decrement, close, askFact, fact(String), noFact }

  struct State: Equatable {
    var count = 0
    var fact: String?
    var isLoading = false
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let facts: Facts

  init(_ facts: Facts) { self.facts = facts }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .increment: state.count += 1
    case .decrement: state.count -= 1
    case .close: return .dismiss
    case .askFact:
      state.isLoading = true
      return .run { [facts, count = state.count] effect in
        effect.onNext(.send(.fact(try await facts.about(count))))
      } catch: { _ in
        .send(.noFact)
      }
    case .fact(let fact):
      state.isLoading = false
      state.fact = fact
    case .noFact:
      state.isLoading = false
      state.fact = nil
    }
    return .none
  }
}

private final class ScreenB: Composer {
  enum Action { case openA, openB, openC }
  struct State: Equatable {}

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
}

private final class ScreenC: Composer {
  enum Action { case start, stop, tick }
  struct State: Equatable { var count = 0, isRunning = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start: state.isRunning = true
    case .stop: state.isRunning = false
    case .tick: state.count += 1
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isRunning {
      StateEffect(id: "timer") { .interval(.send(.tick), period: .seconds(1)) }
    }
  }
}

private final class Screen: Composer {
  enum Action { case a(ScreenA.Action), b(ScreenB.Action), c(ScreenC.Action) }
  enum State: Equatable { case a(ScreenA.State), b(ScreenB.State), c(ScreenC.State) }

  @ComposableState var state = State.a(ScreenA.State())
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let a: Child<State, Action, ScreenA>
  let b = Child(case: State.b, { if case .b(let b) = $0 { b } else { nil } }, Action.b) {
    ScreenB()
  }
  let c = Child(case: State.c, { if case .c(let c) = $0 { c } else { nil } }, Action.c) {
    ScreenC()
  }

  init(_ facts: Facts) {
    a = Child(case: State.a, { if case .a(let a) = $0 { a } else { nil } }, Action.a) {
      ScreenA(facts)
    }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .a(let action): a.reduce(&state, action)
    case .b(let action): b.reduce(&state, action)
    case .c(let action): c.reduce(&state, action)
    }
  }
}

private final class Navigation: Composer {
  enum Action {
    case push(Screen.State), pushABC, goBack(to: Int), pop(from: Int), popToRoot
    case screen(Int, Screen.Action)
  }
  struct State: Equatable { var path: ScreenStack<Screen.State> = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let screens: Children<State, Action, Int, Screen>

  init(_ facts: Facts) { screens = Children(\State.path, Action.screen) { Screen(facts) } }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .push(let screen): state.path.push(screen)
    case .pushABC:
      state.path.push(.a(ScreenA.State()))
      state.path.push(.b(ScreenB.State()))
      state.path.push(.c(ScreenC.State()))
    case .goBack(let id): state.path.pop(to: id)
    case .pop(let id): state.path.pop(from: id)
    case .popToRoot: state.path.popAll()
    case .screen(let id, let action):
      switch action {
      case .b(.openA): state.path.push(.a(ScreenA.State()))
      case .b(.openB): state.path.push(.b(ScreenB.State()))
      case .b(.openC): state.path.push(.c(ScreenC.State()))
      case .a, .c: break
      }
      return screens.reduce(&state, id, action)
    }
    return .none
  }
}

// MARK: - Tests

@Suite("Case study: a navigation stack", .workerPool)
struct NavigationStackStudyTests {
  @Test func `screens are opened, returned to, and closed by the user`() {
    let test = TestComposer(Navigation(.slow))
    test.send(.pushABC) {
      $0.path = [.a(ScreenA.State()), .b(ScreenB.State()), .c(ScreenC.State())]
    }
    test.send(.push(.a(ScreenA.State(count: 7)))) { $0.path.push(.a(ScreenA.State(count: 7))) }
    test.send(.goBack(to: 1)) { $0.path.pop(to: 1) }
    test.send(.pop(from: 1)) { $0.path.pop() }
    #expect(test.state.path.screens == [.a(ScreenA.State())])
    test.send(.popToRoot) { $0.path.popAll() }
    test.finish()
  }

  @Test func `a screen opens others that it does not know`() {
    let test = TestComposer(Navigation(.slow))
    test.send(.push(.b(ScreenB.State()))) { $0.path.push(.b(ScreenB.State())) }
    test.send(.screen(0, .b(.openA))) { $0.path.push(.a(ScreenA.State())) }
    test.send(.screen(0, .b(.openB))) { $0.path.push(.b(ScreenB.State())) }
    test.send(.screen(2, .b(.openC))) { $0.path.push(.c(ScreenC.State())) }
    test.finish()
  }

  @Test func `a screen loads a fact, and closes itself`() {
    let test = TestComposer(Navigation(.slow))
    test.send(.push(.a(ScreenA.State()))) { $0.path.push(.a(ScreenA.State())) }
    test.send(.screen(0, .a(.increment))) { $0.path[id: 0] = .a(ScreenA.State(count: 1)) }
    test.send(.screen(0, .a(.askFact))) {
      $0.path[id: 0] = .a(ScreenA.State(count: 1, isLoading: true))
    }
    test.advance(by: .seconds(1))
    test.receive(.screen(0, .a(.fact("1 is a number.")))) {
      $0.path[id: 0] = .a(ScreenA.State(count: 1, fact: "1 is a number."))
    }
    test.send(.screen(0, .a(.close)))
    test.receiveDismissal(of: Screen.self) { $0.path.popAll() }
    test.finish()
  }

  @Test func `a fact that cannot be loaded ends the loading`() {
    let test = TestComposer(Navigation(.offline))
    test.send(.push(.a(ScreenA.State()))) { $0.path.push(.a(ScreenA.State())) }
    test.send(.screen(0, .a(.askFact))) { $0.path[id: 0] = .a(ScreenA.State(isLoading: true)) }
    test.advance(by: .seconds(1))
    test.receive(.screen(0, .a(.noFact))) { $0.path[id: 0] = .a(ScreenA.State()) }
    test.finish()
  }

  @Test func `the timer of a screen stops with the screen`() {
    let test = TestComposer(Navigation(.slow))
    test.send(.push(.c(ScreenC.State()))) { $0.path.push(.c(ScreenC.State())) }
    test.send(.screen(0, .c(.start))) { $0.path[id: 0] = .c(ScreenC.State(isRunning: true)) }
    test.expect("-tt", ["t": .screen(0, .c(.tick))]) {
      $0.path[id: 0] = .c(ScreenC.State(count: 2, isRunning: true))
    }
    test.send(.popToRoot) { $0.path.popAll() }
    test.advance(by: .seconds(10))
    #expect(test.running.isEmpty)
    test.finish()
  }
}
