import Sockets

@main
struct App {
  static func main() async throws {
    let orders = [Order(tea: "Sencha", seconds: 2), Order(tea: "Assam", seconds: 3)]
    let server = try WebSocketServer()
    let clients = server.connections.subscribe(onNext: { client in
      for order in orders { try? client.send(json: order) }
    })

    let shop = Composed(sending: TeaShop { [url = server.url] in WebSocket(url) })
    let printing = shop.states.subscribe(onNext: { print($0.line) })
    shop.send(.open)
    _ = try await shop.states.filter { $0.served.count == orders.count }.first().value

    printing.dispose()
    clients.dispose()
    server.close()
  }
}
