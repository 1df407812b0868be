import Compose

/// The composer of every workload.
final class Counter: Composer {
  enum Action {
    case increment
    /// Increments and sends itself, until it has done so that many times.
    case countDown(Int)
  }

  struct State: Equatable { var count = 0 }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  // Not inlined, or the loop that calls it would be optimised to one addition.
  @inline(never)
  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .increment:
      state.count &+= 1
      return .none
    case .countDown(let left):
      state.count &+= 1
      return left > 1 ? .send(.countDown(left - 1)) : .none
    }
  }
}

/// Owns a counter as a view controller does.
@MainActor
final class Screen {
  @Compose var composer = Counter()
}

extension Counter {
  /// The reducer alone, called in a loop: what a composer is measured against.
  @MainActor
  static func loop() -> Contender.Body {
    let counter = Counter()
    var state = State()
    return { count in
      for _ in 0..<count { _ = counter.reducer(&state, .increment) }
      return state.count
    }
  }
}
