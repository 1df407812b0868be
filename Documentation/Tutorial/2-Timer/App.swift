import Compose

@main
struct App {
  static func main() async throws {
    let shop = Composed(sending: TeaShop())
    shop.send(.ordered(Order(tea: "Sencha", seconds: 3)))
    for try await state in shop.states.values {
      print(state.line)
      if state.queue.isEmpty { break }
    }
  }
}
