import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

private final class Product: Composer {
  enum Action: Equatable { case appeared, loaded(price: Int), buy, bought }
  struct State: Equatable, Codable, Identifiable {
    let id: Int
    var price: Int?
  }

  @ComposableState var state = State(id: 0)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .appeared:
      let price = 10 * state.id
      return .run(
        Observable.just(Action.loaded(price: price))
          .delay(.seconds(1), scheduler: EffectContext.clock))
    case .loaded(let price): state.price = price
    case .buy:
      return .run(
        Observable.just(Action.bought).delay(.seconds(1), scheduler: EffectContext.clock))
    case .bought: return .dismiss
    }
    return .none
  }
}

private final class Catalog: Composer {
  enum Action: Equatable { case type(String) }
  struct State: Equatable, Codable { var text = "" }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .type(let text): state.text = text
    }
    return .none
  }
}

private final class Screen: Composer {
  enum Action: Equatable { case product(Product.Action), catalog(Catalog.Action) }
  enum State: Equatable, Codable { case product(Product.State), catalog(Catalog.State) }

  @ComposableState var state = State.catalog(Catalog.State())
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let product = Child(
    case: State.product, { if case .product(let product) = $0 { product } else { nil } },
    Action.product
  ) { Product() }
  let catalog = Child(
    case: State.catalog, { if case .catalog(let catalog) = $0 { catalog } else { nil } },
    Action.catalog
  ) { Catalog() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .product(let action): product.reduce(&state, action)
    case .catalog(let action): catalog.reduce(&state, action)
    }
  }
}

private final class Shop: Composer {
  enum Action: Equatable {
    case open(Int), browse, back, link([Screen.State]), screen(Int, Screen.Action)
    case present(Screen.State?), sheet(Screen.Action), closed(Screen.State)
  }
  struct State: Equatable {
    var path: ScreenStack<Screen.State> = []
    var sheet: Screen.State?
    var receipts: [Int] = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let screens = Children(\State.path, Action.screen) { Screen() }
  let sheet = Child(\State.sheet, Action.sheet, onDismiss: Action.closed) { Screen() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open(let product): state.path.push(.product(Product.State(id: product)))
    case .browse: state.path.push(.catalog(Catalog.State()))
    case .back: state.path.pop()
    case .link(let screens): state.path.replace(with: screens)
    case .screen(let id, let action): return screens.reduce(&state, id, action)
    case .present(let sheet): state.sheet = sheet
    case .sheet(let action): return sheet.reduce(&state, action)
    case .closed(.product(let product)): state.receipts.append(product.id)
    case .closed(.catalog): break
    }
    return .none
  }
}

@Suite("The examples of Navigating.md", .workerPool)
struct NavigatingTests {
  @Test func `screens are opened, and closed by the user or by themselves`() {
    let test = TestComposer(Shop())
    test.send(.browse) { $0.path.push(.catalog(Catalog.State())) }
    test.send(.open(3)) { $0.path.push(.product(Product.State(id: 3))) }
    test.send(.screen(1, .product(.buy)))
    test.advance(by: .seconds(1))
    test.receive(.screen(1, .product(.bought)))
    test.receiveDismissal(of: Screen.self) { $0.path.pop() }
    test.send(.back) { $0.path.pop() }
    test.finish()
  }

  @Test func `a sheet closes itself, and its parent receives its last state`() {
    let test = TestComposer(Shop())
    let product = Product.State(id: 3)
    test.send(.present(.product(product))) { $0.sheet = .product(product) }
    test.send(.sheet(.product(.bought)))
    test.receive(.closed(.product(product))) {
      $0.sheet = nil
      $0.receipts = [3]
    }
    test.finish()
  }

  @Test func `a screen that is popped ends with its effects`() {
    let test = TestComposer(Shop())
    test.send(.open(3)) { $0.path = [.product(Product.State(id: 3))] }
    test.send(.screen(0, .product(.appeared)))
    #expect(test.running.count == 1)
    test.send(.back) { $0.path.pop() }
    test.finish()
  }

  @Test func `a link replaces the screens, whose effects end`() throws {
    let link = try JSONDecoder().decode(
      [Screen.State].self, from: Data(#"[{"product":{"_0":{"id":4}}}]"#.utf8))
    let test = TestComposer(Shop())
    test.send(.open(3)) { $0.path = [.product(Product.State(id: 3))] }
    test.send(.screen(0, .product(.appeared)))
    test.send(.link(link)) { $0.path.replace(with: [.product(Product.State(id: 4))]) }
    #expect(test.running.isEmpty)
    test.send(.screen(1, .product(.appeared)))
    test.advance(by: .seconds(1))
    test.receive(.screen(1, .product(.loaded(price: 40)))) {
      $0.path[id: 1] = .product(Product.State(id: 4, price: 40))
    }
    test.finish()
  }
}
