import Foundation
import Inspector
import ReactiveTesting

/// A program for tests of the inspector's clients: a shop whose prices are polled, and whose news come from a
/// server, and a metronome in virtual time.
///
/// It prints the address of its inspector, and ends when its input does.
@main
enum Inspected {
  static func main() throws {
    var configuration = InspectorConfiguration()
    configuration.pausesVirtualClocks = true
    let inspector = try Inspector(configuration)
    let server = try WebSocketServer()
    // A message that arrives while another thread reduces `follow` is not known as the cause of its step.
    let clock = ConcurrentDispatchQueueScheduler(qos: .utility)
    let greetings = server.connections.delay(.milliseconds(200), scheduler: clock)
      .subscribe(onNext: { try? $0.send("sale") })
    let url = server.url
    let shop = Composed(sending: Shop(news: url))
    inspector.add(shop, fork: { Shop(news: url) })
    shop.send(.open)
    let time = VirtualTime()
    let metronome = Composed(sending: Metronome(), on: .virtual(time))
    metronome.send(.start)
    // Advances a minute, and first waits for the client's steps.
    Thread { time.advance(by: .seconds(60)) }.start()
    FileHandle.standardOutput.write(Data("\(inspector.url)\n".utf8))
    while readLine() != nil {}
    withExtendedLifetime((inspector, server, greetings, shop, metronome, time)) {}
  }
}

final class Shop: Composer {
  enum Action: Codable, Sendable {
    case open, close
    case loadPrices
    case pricesLoaded([Int])
    case buy(item: Int, count: Int)
    case fail
    case follow
    case heard(String)
  }

  struct State: Codable, Equatable, Sendable {
    var isOpen = false
    var prices: [Int] = []
    var bought: [Int] = []
    var news = ""
    var password = "hunter2"
  }

  struct OutOfStock: Error {}

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  /// The URL of the server of the news.
  private let news: String

  init(news: String) { self.news = news }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open:
      state.isOpen = true
      return .send(.loadPrices)
    case .close: state.isOpen = false
    case .loadPrices: return .run { effect in effect(.pricesLoaded([3, 5, 8])) }
    case .pricesLoaded(let prices): state.prices = prices
    case .buy(let item, let count):
      state.bought += Array(repeating: item, count: count)
    case .fail: return .run { _ in throw OutOfStock() }
    case .follow: return .socket(WebSocket(news), received: { .heard($0.text ?? "") })
    case .heard(let text): state.news = text
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isOpen {
      StateEffect(id: "polling") {
        .interval(.send(.loadPrices), period: .seconds(3_600))
      }
    }
  }
}
