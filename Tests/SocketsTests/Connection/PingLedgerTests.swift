import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("Pings and their pongs", .workerPool) struct PingLedgerTests {
  private let ledger = Locked(PingLedger())

  /// A ping with a task that waits for its pong.
  private func wait(
    since time: Duration
  ) async -> (ping: PingLedger.Sent, Task<Duration, any Error>) {
    let ping = ledger.withLock { $0.make(at: time) }
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let ledger = ledger
    let task = Task {
      let waiting = WaitingTask<Duration>()
      return try await waiting.wait(
        begin: { continuation in
          ledger.withLock { $0.expect(ping, by: waiting, continuation) }
          signal.finish()
        },
        cancelled: {
          ledger.withLock { _ in waiting.cancel() }?.resume(throwing: CancellationError())
        }
      )
    }
    for await _ in begun {}
    return (ping, task)
  }

  /// Receives a pong, and returns the number of answered pings.
  private func receive(_ payload: Data, at time: Duration) -> Int {
    let answered = ledger.withLock { $0.receive(payload, at: time) }
    for (continuation, roundTrip) in answered { continuation.resume(returning: roundTrip) }
    return answered.count
  }

  private var lastRoundTrip: Duration? { ledger.withLock { $0.lastRoundTrip } }

  @Test func `each ping has its own eight-byte payload`() {
    let payloads = (0..<300).map { _ in ledger.withLock { $0.make(at: .zero) }.payload }
    #expect(Set(payloads).count == 300 && payloads.allSatisfy { $0.count == 8 })
    #expect(payloads[0] == Data([0, 0, 0, 0, 0, 0, 0, 1]))
    #expect(payloads[299] == Data([0, 0, 0, 0, 0, 0, 1, 44]))
  }

  @Test func `a pong without a waiting task is measured once`() {
    let ping = ledger.withLock { ledger in
      let ping = ledger.make(at: .seconds(1))
      ledger.note(ping)
      return ping
    }
    #expect(receive(ping.payload, at: .seconds(3)) == 0)
    #expect(lastRoundTrip == .seconds(2))
    #expect(receive(ping.payload, at: .seconds(9)) == 0)
    #expect(lastRoundTrip == .seconds(2))
  }

  @Test func `5.5.3: a pong answers the earlier pings too, each with its own time`() async throws {
    let (_, first) = await wait(since: .seconds(1))
    let (second, answered) = await wait(since: .seconds(2))
    let (_, third) = await wait(since: .seconds(3))
    #expect(receive(second.payload, at: .seconds(10)) == 2)
    #expect(try await first.joined == .seconds(9))
    #expect(try await answered.joined == .seconds(8))
    #expect(lastRoundTrip == .seconds(8))
    for continuation in ledger.withLock({ $0.removeAll() }) {
      continuation.resume(throwing: CancellationError())
    }
    await #expect(throws: CancellationError.self) { try await third.joined }
  }

  @Test func `an unexpected pong answers no ping`() async throws {
    let (ping, task) = await wait(since: .zero)
    let ahead = Data([0, 0, 0, 0, 0, 0, 0, 99])
    for payload in [Data(), Data("hello".utf8), ping.payload + [0], ahead] {
      #expect(receive(payload, at: .seconds(1)) == 0)
    }
    #expect(lastRoundTrip == nil)
    #expect(receive(ping.payload, at: .seconds(2)) == 1)
    #expect(try await task.joined == .seconds(2))
  }

  @Test func `a cancelled ping is not answered`() async throws {
    let (ping, task) = await wait(since: .zero)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.joined }
    #expect(receive(ping.payload, at: .seconds(2)) == 0)
    #expect(lastRoundTrip == nil)
  }
}
