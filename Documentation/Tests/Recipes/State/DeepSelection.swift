// Selecting a part of the state
//
// Problem: A label shows one value deep in a large state, and should be set when that value
// changes, not with every other change.
//
// Words: selector, distinctUntilChanged, avoid redraw, rerender, derived state, key path, view
// store
//
// Why: `select` delivers a part when that part changes: the first value at once, and then each
// different one, on the main actor. What is computed from several parts is a property of the state,
// and is selected in the same way.
//
// Ends: The driver ends with the composer, cannot fail, and is ended by the bag of the screen.
//
// See: distinctUntilChanged, Compose/ComposableState, Compose/ObservedComposer, Compose/Timelines

import Compose
import ReactiveTesting
import Testing

final class Shop: Composer {
  enum Action: Equatable { case add(cents: Int), rename(String) }
  struct Cart: Equatable, Sendable { var prices: [Int] = [], owner = "Ada" }
  struct State: Equatable {
    var cart = Cart()
    var total: String { "\(cart.prices.reduce(0, +)) cents" }
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let cents): state.cart.prices.append(cents)
    case .rename(let name): state.cart.owner = name
    }
    return .none
  }
}

@MainActor
final class ShopScreen {
  @Compose var composer = Shop()
  let disposeBag = DisposeBag()
  private(set) var owners: [String] = []
  private(set) var totals: [String] = []

  init() {
    composer.$state.select(\.cart.owner)
      .drive(with: self) { screen, owner in screen.owners.append(owner) }
      .disposed(by: disposeBag)
    composer.$state.select(\.total)
      .drive(with: self) { screen, total in screen.totals.append(total) }
      .disposed(by: disposeBag)
  }
}

@MainActor @Test func `a label is set only when its own value changes`() {
  let screen = VirtualTime().run { ShopScreen() }
  for cents in [250, 0, 320] { screen.composer.action.accept(.add(cents: cents)) }
  screen.composer.action.accept(.rename("Grace"))
  #expect(screen.owners == ["Ada", "Grace"])
  #expect(screen.totals == ["0 cents", "250 cents", "570 cents"])
}
