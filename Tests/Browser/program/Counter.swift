import Inspector

/// A composer with small steps.
final class Counter: Composer {
  enum Action: Codable, Sendable { case add(Int) }

  struct State: Codable, Equatable, Sendable { var count = 0 }

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let number): state.count += number
    }
    return .none
  }

  static func million() -> [AnyObject] {
    let counter = Composed(sending: Counter())
    for _ in 0..<1_000_000 { counter.send(.add(1)) }
    return [counter]
  }

  static func many() -> [AnyObject] {
    (1...1_000).map { number in
      let counter = Composed(sending: Counter())
      counter.send(.add(number))
      return counter
    }
  }
}
