import Inspector
import Sockets

@main
struct App {
  static func main() async throws {
    try Inspector.start()

    let teas = ["Sencha", "Assam", "Mint"]
    let server = try WebSocketServer()
    let clients = server.connections
      .flatMap { client in
        Observable<Int>.interval(.seconds(4), scheduler: MainScheduler.asyncInstance)
          .do(onNext: { number in
            try? client.send(json: Order(tea: teas[number % teas.count], seconds: 3))
          })
      }
      .subscribe()

    let shop = Composed(sending: TeaShop { [url = server.url] in WebSocket(url) })
    shop.send(.open)
    for try await state in shop.states.values { print(state.line) }

    clients.dispose()
    server.close()
  }
}
