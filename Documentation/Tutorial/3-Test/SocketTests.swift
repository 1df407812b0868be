import ReactiveTesting
import Sockets
import Testing

@testable import tea_socket

@Suite("The socket of the tutorial")
struct SocketTests {
  @Test func `orders of the server are brewed`() throws {
    let (client, server) = MockWebSocket.pair(isOpen: false)
    let test = TestComposer(TeaShop { client })
    test.send(.open) { $0.connection = .connecting }
    server.connect()
    test.receive(.socket(.connected)) { $0.connection = .open }
    let order = Order(tea: "Sencha", seconds: 1)
    try server.send(json: order)
    test.receive(.ordered(order)) { $0.queue = [order] }
    test.expect("-t", ["t": .tick]) {
      $0.queue = []
      $0.served = ["Sencha"]
    }
    server.close()
    test.receive(.socket(.disconnected(code: .normal, reason: ""))) {
      $0.connection = .closed
    }
    test.finish()
  }

  @Test func `a shop without a connection brews, too`() {
    let test = TestComposer(TeaShop { MockWebSocket.pair().client })
    test.exhaustivity = .off
    test.send(.ordered(Order(tea: "Mint", seconds: 180)))
    test.advance(by: .seconds(180))
    #expect(test.state.served == ["Mint"])
    test.finish()
  }
}
