import Compose

@main
struct App {
  static func main() {
    let shop = Composed(sending: TeaShop())
    print(shop.state.line)
    shop.send(.ordered(Order(tea: "Sencha", seconds: 2)))
    print(shop.state.line)
    shop.send(.tick)
    print(shop.state.line)
    shop.send(.tick)
    print(shop.state.line)
  }
}
