import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("What a reconnecting WebSocket performs", .workerPool)
struct ReconnectionDriverTests {
  private let time = VirtualTime()

  /// Its connect closure takes what its sockets tell, and lets the peer do something.
  private func used(
    _ peers: Locked<[MockWebSocket]>,
    _ act: @escaping @Sendable (MockWebSocket) -> Void = { _ in }
  ) -> ReconnectingWebSocket {
    time.run {
      ReconnectingWebSocket(
        connect: {
          let (client, server) = MockWebSocket.pair()
          client.connect()
          let used = client.events.subscribe()
          act(server)
          used.dispose()
          peers.withLock { $0.append(server) }
          return client
        }, strategy: .fixed(.seconds(1)))
    }
  }

  @Test func `a socket that the connect closure has used is as good as another`() throws {
    let peers = Locked<[MockWebSocket]>([])
    let socket = used(peers)
    socket.connect()
    time.advance(by: .seconds(60))
    #expect(socket.reconnectionState == .connected)
    try socket.send("a")
    time.settle()
    #expect(peers.withLock { $0 }.map(\.received) == [[.text("a")]])
  }

  @Test func `a socket that ends in the connect closure is replaced, until it is stopped`() {
    let peers = Locked<[MockWebSocket]>([])
    let socket = used(peers) { $0.fail(.connectionLost) }
    socket.connect()
    time.advance(by: .seconds(3))
    #expect(peers.withLock { $0 }.count == 4)
    socket.close()
    time.settle()
    #expect(socket.reconnectionState == .disconnected(nil))
  }
}
