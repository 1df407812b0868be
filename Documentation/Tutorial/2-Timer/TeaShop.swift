import Compose

struct Order: Codable, Equatable {
  var tea: String
  var seconds: Int
}

final class TeaShop: Composer {
  enum Action: Equatable { case ordered(Order), tick }

  struct State: Equatable {
    var queue: [Order] = []
    var served: [String] = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .ordered(let order): state.queue.append(order)
    case .tick:
      guard !state.queue.isEmpty else { break }
      state.queue[0].seconds -= 1
      if state.queue[0].seconds == 0 { state.served.append(state.queue.removeFirst().tea) }
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if !state.queue.isEmpty {
      StateEffect(id: "brewing") { .interval(.send(.tick), period: .seconds(1)) }
    }
  }
}

extension TeaShop.State {
  /// What the terminal shows.
  var line: String {
    let orders = queue.map { "\($0.tea) \($0.seconds) s" }.joined(separator: ", ")
    let brewing = orders.isEmpty ? "no orders" : orders
    return served.isEmpty ? brewing : "\(brewing) | served: \(served.joined(separator: ", "))"
  }
}
