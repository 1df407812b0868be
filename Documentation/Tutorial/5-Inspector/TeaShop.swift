import Sockets

struct Order: Codable, Equatable {
  var tea: String
  var seconds: Int
}

final class TeaShop: Composer {
  enum Action: Equatable { case open, socket(SocketLifecycleEvent), ordered(Order), tick }
  enum Connection: Equatable { case closed, connecting, open }

  struct State: Equatable {
    var connection = Connection.closed
    var queue: [Order] = []
    var served: [String] = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let connect: @Sendable () -> any WebSocketType

  init(connect: @escaping @Sendable () -> any WebSocketType) { self.connect = connect }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open: state.connection = .connecting
    case .socket(let event): state.connection = event == .connected ? .open : .closed
    case .ordered(let order): state.queue.append(order)
    case .tick:
      guard !state.queue.isEmpty else { break }
      state.queue[0].seconds -= 1
      if state.queue[0].seconds == 0 { state.served.append(state.queue.removeFirst().tea) }
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.connection != .closed {
      StateEffect(id: "orders") { [connect] in
        .socket(connect(), as: Order.self, received: Action.ordered, lifecycle: Action.socket)
      }
    }
    if !state.queue.isEmpty {
      StateEffect(id: "brewing") { .interval(.send(.tick), period: .seconds(1)) }
    }
  }
}

extension TeaShop.State {
  /// What the terminal shows.
  var line: String {
    let orders = queue.map { "\($0.tea) \($0.seconds) s" }.joined(separator: ", ")
    let brewing = orders.isEmpty ? (connection == .open ? "no orders" : "\(connection)") : orders
    return served.isEmpty ? brewing : "\(brewing) | served: \(served.joined(separator: ", "))"
  }
}
