import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

struct Closed: Error {}

struct Prices: Sendable {
  var price: @Sendable (_ item: String) async throws -> Int
}

enum PricesKey: DependencyKey {
  static let liveValue = Prices { _ in throw Closed() }

  static func testValue(in test: RunningTest) -> Prices? {
    Prices(price: test.unimplemented("Prices.price"))
  }
}

extension Dependencies {
  var prices: Prices {
    get { self[PricesKey.self] }
    set { self[PricesKey.self] = newValue }
  }
}

extension Prices {
  static let market = Prices { $0.count }
}

final class Basket: Composer {
  enum Action: Equatable { case add(String), priced(UUID, Int), closed }
  struct Item: Equatable { var id: UUID, name: String, added: Date, price: Int? }
  struct State: Equatable { var items: [Item] = [], isClosed = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let name):
      let current = Dependencies.current
      let id = current.uuid()
      state.items.append(Item(id: id, name: name, added: current.now, price: nil))
      return .run { effect in
        let price = try await Dependencies.current.prices.price(name)
        effect.onNext(.send(.priced(id, price)))
      } catch: { _ in
        .send(.closed)
      }
    case .priced(let id, let price):
      if let index = state.items.firstIndex(where: { $0.id == id }) {
        state.items[index].price = price
      }
    case .closed: state.isClosed = true
    }
    return .none
  }
}

final class Die: Composer {
  @ComposableState var state = 1
  var action = PublishRelay<Void>()
  var disposeBag = DisposeBag()
  private var random = Dependencies.current.random

  func reducer(_ state: inout Int, _ action: Void) -> Observable<Effect<Void>> {
    state = Int.random(in: 1...6, using: &random)
    return .none
  }
}

@MainActor
final class BasketScreen {
  @Compose({ $0.prices = .market }) var composer = Basket()
}

@MainActor
final class ShelfScreen {
  @Compose var composer: Basket

  init(_ prices: Prices) {
    _composer = Compose(wrappedValue: Basket()) { $0.prices = prices }
  }
}

@MainActor
final class Checkout {
  @Compose var composer = Basket()
}

@MainActor
@Suite("The examples of InjectingDependencies.md", .workerPool)
struct InjectingDependenciesTests {
  let time = VirtualTime()

  @Test func `a basket on a server has the prices that its handle injects`() async throws {
    let basket = Composed(sending: Basket(), on: .pool) { $0.prices = .market }
    basket.send(.add("milk"))
    for try await state in basket.states.values where state.items.first?.price != nil { break }
    #expect(basket.state.items.first?.price == 4)
  }

  @Test func `a basket on a screen has the prices that its owner or its program injects`() {
    let screen = time.run { BasketScreen() }
    let shelf = time.run { ShelfScreen(.market) }
    let checkout = time.run {
      let checkout = Dependencies.with {
        $0.prices = .market
      } run: {
        Checkout()
      }
      return checkout
    }
    for composer in [screen.composer, shelf.composer, checkout.composer] {
      composer.action.accept(.add("bread"))
      time.settle()
      #expect(composer.state.items.first?.price == 5)
    }
  }

  @Test func `a test injects prices, and knows ids and dates`() {
    let test = TestComposer(Basket()) { $0.prices.price = { _ in 3 } }
    test.send(.add("milk")) {
      let added = Date(timeIntervalSinceReferenceDate: 0)
      $0.items = [Basket.Item(id: .counted(1), name: "milk", added: added, price: nil)]
    }
    test.receive(.priced(.counted(1), 3)) { $0.items[0].price = 3 }
    test.finish()
  }

  @Test func `a die has the same throws in each test, and a program chooses its source`() {
    func throwDie(_ die: @autoclosure () -> Composed<Int, Void>) -> [Int] {
      let die = VirtualTime().run(die)
      return (0..<20).map { _ in
        die.send(())
        return die.state
      }
    }
    #expect(throwDie(Composed(sending: Die())) == throwDie(Composed(sending: Die())))
    let other = throwDie(
      Composed(sending: Die()) {
        $0.random = .seeded(9)
        $0.clock = time.scheduler
      })
    #expect(other != throwDie(Composed(sending: Die())))
  }

  @Test func `a test that forgets the prices fails`() {
    let test = TestComposer(Basket())
    test.exhaustivity = .off
    withKnownIssue {
      test.send(.add("milk"))
    } matching: {
      "\($0.comments)".contains("Prices.price is not implemented in this test.")
    }
    test.receive(.closed) { $0.isClosed = true }
    test.finish()
    let live = TestComposer(Basket()) { $0.prices = PricesKey.liveValue }
    live.exhaustivity = .off
    live.send(.add("milk"))
    live.receive(.closed) { $0.isClosed = true }
    live.finish()
  }
}
