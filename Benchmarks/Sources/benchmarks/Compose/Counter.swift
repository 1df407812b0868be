import Compose

/// The composer of every workload.
final class Counter: Composer {
  enum Action {
    case increment
    /// Increments and sends itself, until it has done so that many times.
    case countDown(Int)
    /// Ten increments as one step.
    case group
    /// Increments by an async effect.
    case run
  }

  struct State: Equatable { var count = 0 }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  private static let ten = Array(repeating: Action.increment, count: 10)

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
    case .group: return .group(Self.ten)
    case .run: return .run { $0.onNext(.send(.increment)) }
    }
  }
}

/// Owns a counter as a view controller does.
@MainActor
final class Screen {
  @Compose var composer = Counter()
}

extension Counter {
  /// The reducer called in a loop, which a composer is compared with.
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

/// The contents of a large state.
struct Numbers {
  var count = 0
  var values = Array(repeating: 0, count: 10_000)

  mutating func change(_ index: Int) {
    count &+= 1
    values[index % 10_000] &+= 1
  }
}

/// A large state that each changing action copies.
final class Big: Composer {
  @ComposableState var state = Numbers()
  var action = PublishRelay<Int>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout Numbers, _ action: Int) -> Observable<Effect<Int>> {
    state.change(action)
    return .none
  }
}

/// A large state that is changed in place.
final class BigInPlace: Composer {
  static let reducesInPlace = true
  @ComposableState var state = Numbers()
  var action = PublishRelay<Int>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout Numbers, _ action: Int) -> Observable<Effect<Int>> {
    state.change(action)
    return .none
  }
}
