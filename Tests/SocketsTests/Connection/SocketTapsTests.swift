import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

@testable import Sockets

@Suite("SocketTaps", .workerPool)
struct SocketTapsTests {
  enum Way: CaseIterable { case send, sendCounted, sendWhenWritable, broadcast }

  /// Notes how many bytes a connection had written when its messages were reported as sent.
  private final class Tap: SocketTaps.Observer {
    let prefix: String
    let writtenCounts = Locked<[Int]>([])

    init(_ prefix: String) { self.prefix = prefix }

    func socket(
      _ socket: any TappedSocket, received message: WebSocketMessage, _ deliver: () -> Void
    ) { deliver() }

    func socket(_ socket: any TappedSocket, did event: SocketTaps.Event) {
      // Other tests have sockets too.
      guard case .sent(let message) = event, message.text?.hasPrefix(prefix) == true,
        let driver = socket as? ConnectionDriver
      else { return }
      let count = driver.lock.withLock { driver.session.writtenCount }
      writtenCounts.withLock { $0.append(count) }
    }

    func serverStarted(_ server: any TappedServer) {}
  }

  @Test(arguments: Way.allCases)
  func `a message is reported as sent before its bytes are written`(way: Way) async throws {
    let prefix = UUID().uuidString
    let tap = Tap(prefix)
    let observation = SocketTaps.observe(tap)
    defer { observation.dispose() }
    let server = try WebSocketServer()
    var configuration = WebSocketConfiguration()
    configuration.proxy = .direct
    let client = WebSocket.connect(to: server.url, configuration: configuration)
    let accepted = try #require(try await server.connections.take(1).values.first { _ in true })
    try await client.connected()
    let sender = way == .broadcast ? accepted : client
    let received = ReplaySubject<String>.createUnbounded()
    let receptions = [client, accepted].map { $0.messages.compactMap(\.text).subscribe(received) }
    defer { receptions.forEach { $0.dispose() } }
    // Two bytes of a header, and a client's mask.
    let overhead = way == .broadcast ? 2 : 6
    var expected: [Int] = []
    for number in 1...10 {
      let text = "\(prefix) \(number)"
      switch way {
      case .send: try client.send(text)
      case .sendCounted: _ = try client.sendCounted(.text(text))
      case .sendWhenWritable: try await client.sendWhenWritable(text)
      case .broadcast: server.broadcast(.text(text))
      }
      let before = tap.writtenCounts.withLock { $0 }
      expected = expected.isEmpty ? before : expected
      #expect(before == expected)
      expected.append((before.last ?? 0) + text.utf8.count + overhead)
      _ = try await received.filter { $0 == text }.take(1).values.first { _ in true }
      // The loop counts the bytes soon after it has written them.
      for _ in 0..<100_000 where sender.writtenCount != expected.last { await Task.yield() }
      #expect(sender.writtenCount == expected.last)
    }
    client.close()
  }
}
