import Foundation
import TestSupport
import Testing

@testable import Sockets
@testable import SocketsRedis

/// A connection to a real Redis, without a server.
@Suite("A connection to Redis", .workerPool, .enabled(if: RedisServer.isInstalled))
struct RedisConnectionTests {
  @Test func `a burst of messages leaves the loop its turns, and pauses reading instead`()
    async throws
  {
    let redis = try RedisServer()
    let received = Watched((messages: 0, isConnected: false, isBroken: false))
    var configuration = RedisConfiguration()
    configuration.reconnection = .fixed(.milliseconds(20), maxAttempts: nil)
    // Shorter than the burst.
    configuration.pingInterval = .milliseconds(500)
    let backplane = try RedisBackplane(redis.url, configuration: configuration)
    let turns = Locked<(count: Int, isOver: Bool)>((0, false))
    @Sendable func turn() {
      let goesOn = turns.withLock { turns in
        turns.count += 1
        return !turns.isOver
      }
      if goesOn { EventLoop.shared.execute { turn() } }
    }
    let connection = backplane.connect { event in
      switch event {
      case .state(let state):
        received.update { received in
          if received.isConnected, !state.isConnected { received.isBroken = true }
          received.isConnected = state.isConnected
        }
      case .message:
        // As much work as a hundred sockets are: a second and a half in all.
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .microseconds(150) {}
        received.update { $0.messages += 1 }
      case .failed: break
      }
    }
    connection.subscribe(to: "a")
    await received.wait { $0.isConnected }
    let count = 10_000
    turn()
    var pipe = ""
    for number in 0..<count { pipe += "PUBLISH topic:a \(number)\r\n" }
    let sender = RawRedisClient(port: redis.port)
    sender.send(pipe)
    await received.wait { $0.messages == count }
    let turnCount = turns.withLock { turns in
      turns.isOver = true
      return turns.count
    }
    // A turn has two milliseconds of the second and a half that the messages take.
    #expect(turnCount > 500)
    #expect(!received.value.isBroken)
    connection.close()
    sender.close()
  }
}

/// A client of Redis whose bytes the test writes; what it receives is dropped.
private final class RawRedisClient: TransportHandler, Sendable {
  private let transport: TCPTransport
  private let unsent = Locked<[UInt8]>([])

  init(port: UInt16) { transport = TCPTransport(host: "127.0.0.1", port: port) }

  func send(_ text: String) {
    unsent.withLock { $0 = Array(text.utf8) }
    transport.start(self)
  }

  func close() { transport.close() }

  func transportOpened() { transportWritable() }

  func transportWritable() {
    unsent.withLock { unsent in
      let count = unsent.withUnsafeBytes { transport.write($0) }
      unsent.removeFirst(count)
    }
  }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {}
  func transportEnded() { transport.close() }
  func transportClosed(_ error: TransportError?) {}
}
