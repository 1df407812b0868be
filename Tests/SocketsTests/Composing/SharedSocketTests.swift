import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The examples of SocketEffects.md with several composers or several sockets.
@Suite("Sockets and composers in other numbers than one", .workerPool)
struct SharedSocketTests {
  struct Price: Codable, Equatable { var name: String, amount: Int }

  final class PriceTable: Composer {
    enum Action { case price(Price) }
    struct State: Equatable { var amounts: [String: Int] = [:] }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let prices: Observable<Price>

    init(prices: Observable<Price>) { self.prices = prices }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .price(let price): state.amounts[price.name] = price.amount
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      StateEffect(id: "prices") { [prices] in .run(prices.map { .price($0) }) }
    }
  }

  final class PriceAlarm: Composer {
    enum Action { case price(Price) }
    struct State: Equatable { var exceeded: [String] = [] }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let prices: Observable<Price>
    private let limit: Int

    init(prices: Observable<Price>, limit: Int) { (self.prices, self.limit) = (prices, limit) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .price(let price): if price.amount > limit { state.exceeded.append(price.name) }
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      StateEffect(id: "prices") { [prices] in .run(prices.map { .price($0) }) }
    }
  }

  final class Markets: Composer {
    enum Action: Equatable {
      case add(String), remove(String)
      case price(String, Price), market(String, SocketLifecycleEvent)
    }
    struct State: Equatable {
      var markets: [String] = []
      var open: Set<String> = []
      var prices: [String] = []
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let connect: @Sendable (String) -> any WebSocketType

    init(_ connect: @escaping @Sendable (String) -> any WebSocketType) { self.connect = connect }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .add(let market): state.markets.append(market)
      case .remove(let market):
        state.markets.removeAll { $0 == market }
        state.open.remove(market)
      case .price(let market, let price):
        state.prices.append("\(price.name) at \(market): \(price.amount)")
      case .market(let market, .connected): state.open.insert(market)
      case .market(let market, .disconnected): state.open.remove(market)
      case .market: break
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      for market in state.markets {
        StateEffect(id: market) { [connect] in
          .socket(connect(market), as: Price.self) {
            .price(market, $0)
          } lifecycle: {
            .market(market, $0)
          }
        }
      }
    }
  }

  @Test func `two composers receive the messages of one socket, and one may end before the other`()
    throws
  {
    let time = VirtualTime()
    let peer = Locked<MockWebSocket?>(nil)
    let connect: @Sendable () async throws -> any WebSocketType = {
      let (client, server) = MockWebSocket.pair()
      peer.withLock { $0 = server }
      return client
    }
    var alarms: Composed<PriceAlarm.State, PriceAlarm.Action>?
    let (prices, socket) = time.run {
      let socket = ReconnectingWebSocket(connect: { try await connect() })
      let prices = socket.messages.compactMap { try? $0.decode(Price.self) }.share()
      let table = Composed(sending: PriceTable(prices: prices))
      let alarm = Composed(sending: PriceAlarm(prices: prices, limit: 100))
      socket.connect()
      alarms = alarm
      return (table, socket)
    }
    time.settle()
    let server = try #require(peer.withLock { $0 })
    try server.send(json: Price(name: "gold", amount: 90))
    try server.send(json: Price(name: "tin", amount: 120))
    time.settle()
    #expect(prices.state.amounts == ["gold": 90, "tin": 120])
    #expect(alarms?.state.exceeded == ["tin"])
    alarms = nil
    try server.send(json: Price(name: "gold", amount: 110))
    time.settle()
    #expect(prices.state.amounts["gold"] == 110)
    #expect(server.state == .connected)
    socket.close()
    time.settle()
    #expect(server.state == .disconnected)
  }

  @Test func `a composer has a socket for each market of its state`() throws {
    let peers = Locked<[String: MockWebSocket]>([:])
    let test = TestComposer(
      Markets { market in
        let (client, server) = MockWebSocket.pair()
        peers.withLock { $0[market] = server }
        return client
      })
    func peer(_ market: String) throws -> MockWebSocket {
      try #require(peers.withLock { $0[market] })
    }
    for market in ["a", "b"] {
      test.send(.add(market)) { $0.markets.append(market) }
      test.receive(.market(market, .connected)) { $0.open.insert(market) }
    }
    let gold = Price(name: "gold", amount: 90)
    try peer("b").send(json: gold)
    test.receive(.price("b", gold)) { $0.prices = ["gold at b: 90"] }
    test.send(.remove("a")) {
      $0.markets = ["b"]
      $0.open = ["b"]
    }
    #expect(try peer("a").state == .disconnected && peer("b").state == .connected)
    try peer("b").close(code: 4_000)
    test.receive(.market("b", .disconnected(code: 4_000, reason: ""))) { $0.open = [] }
    test.finish()
  }
}
