import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class CounterTab: Composer {
  enum Action { case increment, decrement, askPrime, dismissAlert }

  struct State: Equatable {
    var stats = Stats()
    var alert: String?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .increment: state.stats.add(1)
    case .decrement: state.stats.add(-1)
    case .askPrime:
      let count = state.stats.count
      state.alert = isPrime(count) ? "\(count) is prime!" : "\(count) is not prime :("
    case .dismissAlert: state.alert = nil
    }
    return .none
  }
}

private final class ProfileTab: Composer {
  enum Action { case reset }
  struct State: Equatable { var stats = Stats() }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .reset: state.stats = Stats()
    }
    return .none
  }
}

private final class Tabs: Composer {
  enum Action { case select(Tab), counter(CounterTab.Action), profile(ProfileTab.Action) }
  enum Tab { case counter, profile }

  struct State: Equatable {
    var tab = Tab.counter
    var counter = CounterTab.State()
    var profile: ProfileTab.State {
      get { ProfileTab.State(stats: counter.stats) }
      set { counter.stats = newValue.stats }
    }
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let counter = Child(\State.counter, Action.counter) { CounterTab() }
  let profile = Child(\State.profile, Action.profile) { ProfileTab() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .select(let tab): state.tab = tab
    case .counter(let action): return counter.reduce(&state, action)
    case .profile(let action): return profile.reduce(&state, action)
    }
    return .none
  }
}

// MARK: - Model

private struct Stats: Equatable {
  private(set) var count = 0
  private(set) var maximum = 0
  private(set) var minimum = 0
  private(set) var changes = 0

  mutating func add(_ number: Int) {
    count += number
    changes += 1
    maximum = max(maximum, count)
    minimum = min(minimum, count)
  }
}

private func isPrime(_ number: Int) -> Bool {
  number > 1 && (2..<number).allSatisfy { !number.isMultiple(of: $0) }
}

// MARK: - Tests

@Suite("Case study: two tabs share state", .workerPool)
struct SharedStateStudyTests {
  @Test func `a tab sees and resets what another tab has counted`() {
    let test = TestComposer(Tabs())
    test.send(.counter(.increment)) { $0.counter.stats.add(1) }
    test.send(.counter(.increment)) { $0.counter.stats.add(1) }
    test.send(.counter(.decrement)) { $0.counter.stats.add(-1) }
    test.send(.select(.profile)) { $0.tab = .profile }
    let stats = test.state.profile.stats
    #expect(stats.count == 1 && stats.maximum == 2 && stats.minimum == 0 && stats.changes == 3)
    test.send(.profile(.reset)) { $0.profile.stats = Stats() }
    #expect(test.state.counter.stats == Stats())
    test.finish()
  }

  @Test func `an alert says whether the count is prime`() {
    let test = TestComposer(Tabs())
    test.send(.counter(.askPrime)) { $0.counter.alert = "0 is not prime :(" }
    test.send(.counter(.dismissAlert)) { $0.counter.alert = nil }
    for _ in 1...3 { test.send(.counter(.increment)) { $0.counter.stats.add(1) } }
    test.send(.counter(.askPrime)) { $0.counter.alert = "3 is prime!" }
    test.finish()
  }
}
