import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Every wait has a deadline, here in virtual time.
@Suite("The deadlines of a WebSocket", .workerPool)
struct WebSocketDeadlineTests {
  private let time = VirtualTime()

  private var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    // A keepalive would end the connection before the deadline.
    configuration.keepalive = nil
    return configuration
  }

  /// Checks that the connection ends at the deadline and not before.
  private func expectEnd(of recorder: SocketEventRecorder, after limit: Duration) async {
    time.advance(by: limit - .milliseconds(1))
    await EventLoop.shared.settle()
    #expect(recorder.value.closeCode == nil)
    time.advance(by: .milliseconds(1))
    await recorder.waitUntilOver()
  }

  @Test func `a server that never answers the handshake is dropped after 10 seconds`() async throws
  {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url, configuration)
    socket.connect()
    let peer = await raw.peerWithRequest()
    peer.send(Array("HTTP/1.1 101 Switching Protocols\r\n".utf8))
    await expectEnd(of: recorder, after: .seconds(10))
    #expect(recorder.value.failure == .handshakeTimedOut(after: .seconds(10)))
    #expect(recorder.value.states == [.idle, .connecting, .disconnected])
    await peer.log.wait { $0.ended == 1 || $0.isClosed }
  }

  @Test func `a server that never answers the close is dropped after 5 seconds`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url, configuration)
    socket.connect()
    let peer = try await raw.upgradedPeer()
    await recorder.waitUntilConnected()
    // The deadline of the handshake is cancelled.
    time.advance(by: .seconds(60))
    socket.close()
    await expectEnd(of: recorder, after: .seconds(5))
    #expect(recorder.value.failure == .closeTimedOut(after: .seconds(5)))
    #expect(recorder.value.errors == [.closeTimedOut(after: .seconds(5))])
    #expect(recorder.value.closeCode == .abnormal)
    await peer.log.wait { $0.ended == 1 || $0.isClosed }
  }

  @Test func `a server that closes but keeps the connection is dropped after 5 seconds`()
    async throws
  {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url, configuration)
    socket.connect()
    _ = try await raw.upgradedPeer(then: Wire.frame(0x88, [0x03, 0xE8], masked: false))
    await recorder.log.wait { $0.states.last == .disconnecting }
    await EventLoop.shared.settle()
    await expectEnd(of: recorder, after: .seconds(5))
    #expect(recorder.value.failure == nil)
    #expect(recorder.value.closeCode == .normal)
  }

  @Test func `a silent client is dropped after 10 seconds`() async throws {
    let server = try WebSocketServer(configuration: configuration)
    let silent = await RawClient.connected(to: server)
    let slow = await RawClient.connected(to: server)
    slow.send(Array("GET / HTTP/1.1\r\n".utf8))
    // When a third connection is served, both are accepted.
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.waitUntilConnected()
    time.advance(by: .seconds(9))
    await EventLoop.shared.settle()
    #expect(!silent.log.value.isClosed && silent.log.value.ended == 0)
    time.advance(by: .seconds(1))
    for peer in [silent, slow] { await peer.log.wait { $0.ended == 1 || $0.isClosed } }
    #expect(socket.state == .connected)
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test func `a rejected client that stays connected is dropped after 5 seconds`() async throws {
    let server = try WebSocketServer(configuration: configuration)
    let peer = await RawClient.connected(to: server)
    peer.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    await peer.log.wait { $0.ended == 1 }
    #expect(!peer.log.value.isClosed)
    time.advance(by: .seconds(5))
    await EventLoop.shared.settle()
    // No client is left to receive this.
    peer.send([1])
    await peer.log.wait { $0.isClosed }
  }
}
