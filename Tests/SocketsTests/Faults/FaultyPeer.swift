import Foundation
import Reactive
import ReactiveTesting
import Testing
import TestSupport

@testable import Sockets

/// One side of a WebSocket over memory, and a peer whose bytes the test writes.
struct FaultyPeer {
  let side: Side
  let socket: WebSocket
  let recorder: SocketEventRecorder
  let peer: TransportRecorder
  private let near: MemoryTransport

  init(_ side: Side, _ loop: EventLoop, _ configuration: WebSocketConfiguration = .init()) async {
    let (near, far) = MemoryTransport.pair(loop: loop)
    self.side = side
    self.near = near
    let configuration = configuration.onStoppedClock
    socket =
      switch side {
      case .client: .client(over: near, configuration: configuration)
      case .server: .server(over: near, configuration: configuration)
      }
    recorder = SocketEventRecorder(socket)
    peer = TransportRecorder(far)
    await peer.start()
    socket.connect()
  }

  /// The peer's half of the handshake; a server's answer needs the request first.
  func handshake(_ headers: String = "") async throws -> [UInt8] {
    if side == .server { return Array(RawClient.request.utf8) }
    await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
    let line = try #require(peer.text.firstMatch(of: /Sec-WebSocket-Key: (\S+)\r\n/))
    let key = try #require(HandshakeKey(text: Array(line.1.utf8)[...]))
    let head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(String(decoding: key.accept, as: UTF8.self))\r\n\(headers)\r\n"
    return Array(head.utf8)
  }

  /// The kind of a cut.
  enum Cut: CaseIterable {
    /// The peer's bytes end, without a close frame.
    case end
    /// The connection breaks.
    case reset
  }

  /// Cuts the connection after the peer's sent bytes.
  func cut(_ cut: Cut) async {
    switch cut {
    case .end: peer.transport.closeWriting()
    case .reset: near.fail(.reset)
    }
    await recorder.waitUntilOver()
  }
}

/// A peer that repeats its bytes as fast as the transport accepts them, and reads little at a time.
final class FloodingPeer: TransportHandler, @unchecked Sendable {
  // Used on the loop's thread only.
  private let transport: any Transport
  private var parts: [(bytes: [UInt8], times: Int)]
  private var offset = 0
  private let quota: Int
  private var readSinceTick = 0
  private(set) var read = 0

  /// - Parameters:
  ///   - parts: the bytes to write, with repetitions.
  ///   - quota: the bytes to read per tick; unlimited by default.
  init(_ transport: any Transport, _ parts: [(bytes: [UInt8], times: Int)], quota: Int = .max) {
    self.transport = transport
    self.parts = parts
    self.quota = quota
  }

  var hasWrittenAll: Bool { parts.isEmpty }

  /// Reads the next `quota` bytes.
  func tick() {
    readSinceTick = 0
    transport.setReading(true)
  }

  private func write() {
    while let part = parts.first {
      let taken = part.bytes.withUnsafeBytes { transport.write(.init(rebasing: $0[offset...])) }
      offset += taken
      guard offset == part.bytes.count else { return }
      offset = 0
      parts[0].times -= 1
      if parts[0].times == 0 { parts.removeFirst() }
    }
  }

  func transportOpened() { write() }
  func transportWritable() { write() }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    read += bytes.count
    readSinceTick += bytes.count
    if readSinceTick >= quota { transport.setReading(false) }
  }

  func transportEnded() { transport.close() }
  func transportClosed(_ error: TransportError?) {}
}
