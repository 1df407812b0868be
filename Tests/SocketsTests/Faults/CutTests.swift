import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// The peer disconnects at every byte of its output.
@Suite("A connection that is cut", .workerPool)
struct CutTests {
  /// Every byte; under slow sanitizers a sample.
  private func places(_ count: Int) -> [Int] {
    #if SANITIZED
    Array(stride(from: 0, to: count, by: 7))
    #else
    Array(0..<count)
    #endif
  }

  @Test(arguments: Side.allCases, FaultyPeer.Cut.allCases)
  func `a cut at any byte of the handshake is a handshake error`(
    side: Side,
    cut: FaultyPeer.Cut
  ) async throws {
    try await withLoop { loop in
      let count = try await FaultyPeer(side, loop).handshake().count
      for place in places(count) {
        let faulty = await FaultyPeer(side, loop)
        faulty.peer.send(Array(try await faulty.handshake().prefix(place)))
        await faulty.cut(cut)
        let log = faulty.recorder.value
        switch cut {
        case .end: #expect(log.failure == .handshake(.connectionClosed), "at \(place)")
        case .reset: #expect(log.failure == .transport(.reset), "at \(place)")
        }
        #expect(log.states == [.idle, .connecting, .disconnected])
        #expect(log.closeCode == .abnormal && log.errors.count == 1)
      }
    }
  }

  @Test(arguments: Side.allCases, FaultyPeer.Cut.allCases)
  func `a cut at any byte of a message is an error after the complete messages`(
    side: Side,
    cut: FaultyPeer.Cut
  ) async throws {
    // A fragmented message with a ping in it, and one with a longer header.
    let fragmented =
      side.incoming(0x01, "ab") + side.incoming(0x89, [1]) + side.incoming(0x80, "cd")
    let long = side.incoming(0x82, pattern(130))
    let messages: [(end: Int, message: WebSocketMessage)] = [
      (fragmented.count, .text("abcd")),
      (fragmented.count + long.count, .binary(Data(pattern(130)))),
    ]
    try await withLoop { loop in
      for place in places(fragmented.count + long.count + 1) {
        let faulty = await FaultyPeer(side, loop)
        faulty.peer.send(try await faulty.handshake())
        await faulty.recorder.waitUntilConnected()
        faulty.peer.send(Array((fragmented + long).prefix(place)))
        await faulty.cut(cut)
        let log = faulty.recorder.value
        #expect(log.messages == messages.filter { $0.end <= place }.map(\.message), "at \(place)")
        #expect(log.failure == (cut == .end ? .connectionLost : .transport(.reset)))
        #expect(log.closeCode == .abnormal && log.errors.count == 1)
        #expect(
          log.states == [.idle, .connecting, .connected, .disconnecting, .disconnected]
        )
      }
    }
  }

  @Test func `a cut at any byte of the TLS handshake is a TLS error`() async throws {
    try await withLoop { loop in
      // The server's first flight, which is longer than a client needs to answer.
      let flight = try await serverFlight(loop)
      for place in stride(from: 0, to: flight.count - 1, by: 61) {
        let (near, far) = MemoryTransport.pair(loop: loop)
        let client = TransportRecorder(
          TLSTransport(over: near, try session(.client(host: "localhost"))))
        let peer = TransportRecorder(far)
        await peer.start()
        client.transport.start(client)
        await peer.log.wait { !$0.received.isEmpty }
        peer.send(Array(flight.prefix(place)))
        peer.transport.closeWriting()
        await client.log.wait { $0.isClosed }
        // The answer of another handshake has other keys, which shows from its second record on.
        guard case .tls(let error) = client.log.value.closed.first else {
          Issue.record("\(client.log.value.closed) at \(place)")
          continue
        }
        #expect(error == .handshakeInterrupted || place > 100, "\(error) at \(place)")
        #expect(client.log.value.opened == 0)
      }
    }
  }

  private func session(_ role: TLSRole) throws -> any TLSSession {
    var configuration = TLSConfiguration()
    configuration.authorities = .only(Certificates.authority)
    if role == .server { configuration.identity = Certificates.good }
    return try OpenSSL().makeSession(role, configuration)
  }

  /// A server's answer to a ClientHello.
  private func serverFlight(_ loop: EventLoop) async throws -> [UInt8] {
    let flight = Watched<[UInt8]>([])
    let (near, far) = MemoryTransport.pair(loop: loop)
    let server = Locked(try session(.server))
    let client = TransportRecorder(
      TLSTransport(over: near, try session(.client(host: "localhost"))))
    let peer = TransportRecorder(far) { _, bytes in
      server.withLock { server in
        var input = bytes
        _ = try? server.shakeHands(&input)
        _ = server.drain { bytes in
          flight.update { $0 += bytes }
          return bytes.count
        }
      }
    }
    await peer.start()
    client.transport.start(client)
    await flight.wait { $0.count > 500 }
    client.transport.close()
    return flight.value
  }
}
