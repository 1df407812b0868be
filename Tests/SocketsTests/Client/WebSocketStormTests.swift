import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Both sides send, ping and close from many threads at once, over a transport that splits bytes,
/// has small buffers, and sometimes breaks.
@Suite("A WebSocket under random load", .workerPool)
struct WebSocketStormTests {
  @Test(arguments: [false, true])
  func `every accepted message arrives, and each side emits one sequence of states`(breaks: Bool)
    async throws
  {
    for seed in 0..<200 {
      var random = SeededGenerator(seed: UInt64(seed))
      let (near, far) = MemoryTransport.pair(
        capacity: .random(in: 1...5_000, using: &random),
        maximumDelivery: .random(in: 1...2_000, using: &random)
      )
      let configuration = WebSocketConfiguration().onStoppedClock
      let handshake = try ClientHandshake(WebSocketURL("ws://localhost/"), random: fixedKeys)
      let client = WebSocket(
        .client(MaskKeys(fixedKeys)), SharedOptions(configuration), on: .shared
      ) {
        (near, .client(handshake))
      }
      let server = WebSocket(.server, SharedOptions(configuration), on: .shared) {
        (far, .server(configuration))
      }
      server.connect()
      client.connect()
      let sockets = [client, server]
      for socket in sockets {
        for try await state in socket.states.values where state == .connected { break }
      }
      let accepted = Locked<[[String]]>([[], []])
      // Observers subscribe during the sends, and before the close.
      let observesAt = (0..<2).map { _ in Int.random(in: 0...50, using: &random) }
      let closesAt = (0..<2).map { _ in Int.random(in: 0...50, using: &random) }
      let recorders = await withTaskGroup(of: (Int, SocketEventRecorder)?.self) { group in
        for side in 0..<2 {
          group.addTask {
            for number in 0..<100 {
              let text = "\(side) \(number) " + String(repeating: "x", count: number)
              do {
                try sockets[side].send(text)
                accepted.withLock { $0[side].append(text) }
                if number % 10 == 0 { try sockets[side].ping(Data()) }
              } catch {
                return nil
              }
            }
            return nil
          }
          group.addTask {
            for _ in 0..<observesAt[side] { await Task.yield() }
            let recorder = SocketEventRecorder(sockets[side])
            for _ in 0..<closesAt[side] { await Task.yield() }
            if breaks, side == 0 { near.fail(.reset) }
            sockets[side].close(code: .goingAway)
            return (side, recorder)
          }
        }
        var recorders: [Int: SocketEventRecorder] = [:]
        for await case (let side, let recorder)? in group { recorders[side] = recorder }
        return recorders
      }
      for side in 0..<2 {
        let recorder = try #require(recorders[side])
        await recorder.waitUntilOver()
        let log = recorder.value
        let sent = accepted.withLock { $0[1 - side] }
        // The recorder observes events first, so the kept events are delivered to it.
        let received = log.events.compactMap { event in
          if case .message(let message) = event { message.text } else { nil }
        }
        if breaks {
          #expect(received == Array(sent.prefix(received.count)))
        } else {
          #expect(received == sent)
          #expect(log.errors == [])
          #expect(log.closeCode == .goingAway)
        }
        #expect(log.events.filter { $0 == .connected }.count == 1)
        #expect(log.errors.count <= 1)
        #expect(log.failure == log.errors.first)
        let life: [WebSocketState] = [
          .idle, .connecting, .connected, .disconnecting, .disconnected,
        ]
        // Frames before the subscription are not replayed.
        #expect(log.states == life.suffix(log.states.count) || breaks)
        #expect(log.states.last == .disconnected)
      }
    }
  }
}
