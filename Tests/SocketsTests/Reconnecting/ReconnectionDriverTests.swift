import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The effects of a reconnecting WebSocket", .workerPool)
struct ReconnectionDriverTests {
  private let time = VirtualTime()

  /// A WebSocket whose connect closure consumes the socket's events, and lets the peer act.
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

  @Test func `a socket that the connect closure has used is accepted`() throws {
    let peers = Locked<[MockWebSocket]>([])
    let socket = used(peers)
    socket.connect()
    time.advance(by: .seconds(60))
    #expect(socket.reconnectionState == .connected)
    try socket.send("a")
    time.settle()
    #expect(peers.withLock { $0 }.map(\.received) == [[.text("a")]])
  }

  @Test func `a socket that ends in the connect closure is replaced until stop`() {
    let peers = Locked<[MockWebSocket]>([])
    let socket = used(peers) { $0.fail(.connectionLost) }
    socket.connect()
    time.advance(by: .seconds(3))
    #expect(peers.withLock { $0 }.count == 4)
    socket.close()
    time.settle()
    #expect(socket.reconnectionState == .disconnected(nil))
  }

  @Test func `jitter is drawn from the dependencies of the test, which the connect closure finds`()
  {
    let (time, attempts) = (VirtualTime { $0.random = RandomSource { .max } }, Locked<[Double]>([]))
    let socket = time.run {
      ReconnectingWebSocket(
        connect: {
          if Dependencies.current.random.next() == .max {
            attempts.withLock { $0.append(time.elapsed) }
          }
          throw WebSocketError.connectionLost
        }, strategy: .fixed(.seconds(4), jitter: .upTo(0.5)))
    }
    socket.connect()
    time.advance(by: .seconds(13))
    #expect(attempts.withLock { $0 } == [0, 6, 12])
    socket.close()
    time.settle()
  }
}
