import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class Refreshable: Composer {
  enum Action { case increment, decrement, refresh, cancel, loaded(String), failed }

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
    case .refresh:
      state.fact = nil
      state.isLoading = true
      return .run { [facts, count = state.count] effect in
        effect.onNext(.send(.loaded(try await facts.about(count))))
      } catch: { _ in
        .send(.failed)
      }
      .cancellable(id: "fact")
    case .cancel:
      state.isLoading = false
      return .cancel(id: "fact")
    case .loaded(let fact):
      state.fact = fact
      state.isLoading = false
    case .failed: state.isLoading = false
    }
    return .none
  }
}

// MARK: - Tests

@Suite("Case study: a screen that is pulled to refresh", .workerPool)
struct RefreshStudyTests {
  @Test func `a refresh loads a fact about the count`() {
    let test = TestComposer(Refreshable(.slow))
    test.send(.increment) { $0.count = 1 }
    test.send(.refresh) { $0.isLoading = true }
    test.advance(by: .seconds(1))
    test.receive(.loaded("1 is a number.")) {
      $0.fact = "1 is a number."
      $0.isLoading = false
    }
    test.finish()
  }

  @Test func `a refresh that fails leaves no fact`() {
    let facts = Facts { number in
      if number > 0 { throw Facts.Offline() }
      return "Zero is even."
    }
    let test = TestComposer(Refreshable(facts))
    test.send(.refresh) { $0.isLoading = true }
    test.receive(.loaded("Zero is even.")) {
      $0.fact = "Zero is even."
      $0.isLoading = false
    }
    test.send(.increment) { $0.count = 1 }
    test.send(.refresh) {
      $0.fact = nil
      $0.isLoading = true
    }
    test.receive(.failed) { $0.isLoading = false }
    test.finish()
  }

  @Test func `a refresh that is cancelled loads nothing`() {
    let test = TestComposer(Refreshable(.slow))
    test.send(.refresh) { $0.isLoading = true }
    test.send(.cancel) { $0.isLoading = false }
    test.advance(by: .seconds(10))
    test.finish()
  }
}
