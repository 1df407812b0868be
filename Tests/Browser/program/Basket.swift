import Inspector

/// A composer that is exported and forked: its state and actions are `Codable`.
final class Basket: Composer {
  enum Action: Codable, Sendable {
    case add(String)
    case remove(String)
    case rename(title: String)
    case clear
  }

  struct State: Codable, Equatable, Sendable {
    var title = "basket"
    var items: [String] = []
    var count = 0
    // More digits than a double has.
    var receipt: Int64 = 9_007_199_254_740_993
  }

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let item):
      state.items.append(item)
      state.count += 1
    // The mistake that a recording shows: the count stays.
    case .remove(let item): state.items.removeAll { $0 == item }
    case .rename(let title): state.title = title
    case .clear:
      state.items = []
      state.count = 0
    }
    return .none
  }

  static func all() -> [AnyObject] {
    let basket = Composed(sending: Basket())
    for item in ["milk", "bread", Hostile.image] { basket.send(.add(item)) }
    basket.send(.remove("bread"))
    basket.send(.rename(title: "`groceries` \"\"\"# \\(1)"))
    return [basket]
  }

  /// Lets clients fork the composers among these.
  static func addForks(of objects: [AnyObject], to inspector: Inspector) {
    for case let basket as Composed<State, Action> in objects {
      inspector.add(basket, fork: { Basket() })
    }
  }
}
