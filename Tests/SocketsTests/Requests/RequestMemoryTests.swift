#if os(Linux) && !SANITIZED
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// The memory that ended requests keep, measured in processes of their own.
@Suite("The memory of requests", .workerPool)
struct RequestMemoryTests {
  @Test func `20,000 requests that have ended keep no memory`() async {
    await #expect(processExitsWith: .success) {
      let time = VirtualTime()
      // The mocks' records grow, so each round takes a new pair.
      func round(_ count: Int) {
        let (client, server) = MockWebSocket.pair()
        let results = Locked(0)
        for id in 0..<count {
          let subscription = time.run {
            client.request(Ask(id: id), as: Answer.self, matching: \.id)
          }
          .subscribe { _ in results.withLock { $0 += 1 } }
          switch id % 4 {
          case 0: try? server.answer(id)
          case 1: time.advance(by: .seconds(10))
          case 2: subscription.dispose()
          default: if id % 64 == 63 { try? server.answer(id) }
          }
        }
        client.fail(.connectionLost)
        precondition(results.withLock { $0 } == count - count / 4)
        precondition(client.pendingRequests.metrics.waiting == 0)
      }
      round(1_000)
      let growth = heapGrowth { round(20_000) }
      precondition(growth < 64 << 10, "\(growth) bytes")
    }
  }

  @Test func `the keys of requests without a reply are bounded`() async {
    await #expect(processExitsWith: .success) {
      let requests = PendingRequests()
      let time = VirtualTime()
      func abandon(_ ids: Range<Int>) {
        for id in ids {
          let request = OutgoingRequest(
            .text("x"), key: id, ReplyReader(\Header.id, nil), timeout: .seconds(1), whenLost: .fail
          ) { _ in }
          requests.start(request, on: time.scheduler) { _ in }.dispose()
          // The virtual clock keeps a deadline until its time.
          if id % 100 == 0 { time.advance(by: .seconds(1)) }
        }
      }
      abandon(0..<2_000)
      let growth = heapGrowth { abandon(2_000..<22_000) }
      precondition(growth < 64 << 10, "\(growth) bytes")
    }
  }

  @Test func `a WebSocket without requests has no table of requests`() {
    let socket = WebSocket("ws://localhost/")
    #expect(socket.streams.requests.object == nil)
    #expect(socket.pendingRequests === socket.pendingRequests)
  }
}
#endif
