import Foundation
import Sockets

/// The same exchange by blocking system calls, without frames.
///
/// The client is on the caller's thread.
@MainActor
final class RawEcho {
  private let exchange: Exchange
  private let log: LatencyLog?
  /// The messages in turn, as they are on the wire.
  private let pattern: [UInt8]
  private let socket: BlockingSocket
  private var buffer = Server.buffer()
  /// The server, when it has no thread of its own.
  private var inlineServer: Server?

  /// - Parameter threads: 2, or 1 for a client that calls the server after each write. Then no thread
  ///   is woken, and the bytes in flight must fit into the sockets' buffers.
  init(_ exchange: Exchange, _ log: LatencyLog?, threads: Int) {
    self.exchange = exchange
    self.log = log
    pattern = exchange.messages().flatMap(\.data)
    let (client, server) = BlockingSocket.connectedPair()
    socket = client
    if threads == 1 {
      inlineServer = Server(socket: server)
    } else {
      Thread.detachNewThread {
        var server = Server(socket: server)
        while server.echoOnce() {}
      }
    }
  }

  isolated deinit {
    socket.close()
    // Reads the end; a server with a thread has read it already.
    _ = inlineServer?.echoOnce()
  }

  /// The maximum of bytes in flight: both ends write until all is taken, so more than the sockets hold
  /// would deadlock.
  private static let most = 512 << 10

  /// Sends that many messages and returns the number of received bytes.
  func run(_ count: Int) -> Int {
    let total = count * exchange.bytes
    var (sent, received) = (0, 0)
    log?.begin(count)
    while received < total {
      let allowed = (received / exchange.bytes + exchange.window) * exchange.bytes
      send(&sent, upTo: min(allowed, total, received + Self.most))
      receive(&received, upTo: sent)
      if received.isMultiple(of: exchange.bytes) { log?.lap() }
    }
    return received
  }

  private func send(_ sent: inout Int, upTo end: Int) {
    pattern.withUnsafeBytes { pattern in
      while sent < end {
        let start = sent % pattern.count
        let count = min(end - sent, pattern.count - start)
        socket.write(UnsafeRawBufferPointer(rebasing: pattern[start..<start + count]))
        _ = inlineServer?.echoOnce()
        sent += count
      }
    }
  }

  /// Reads once, and compares.
  private func receive(_ received: inout Int, upTo end: Int) {
    let wanted = min(buffer.count, end - received)
    let count = buffer.withUnsafeMutableBytes { socket.read(into: .init(rebasing: $0[..<wanted])) }
    require(count > 0, "Messages are missing.")
    var compared = 0
    while compared < count {
      let start = received % pattern.count
      let length = min(count - compared, pattern.count - start)
      let isSame = buffer.withUnsafeBytes { buffer in
        pattern.withUnsafeBytes { pattern in
          Self.holdSame(buffer[compared..<compared + length], pattern[start..<start + length])
        }
      }
      require(isSame, "Not what was sent.")
      compared += length
      received += length
    }
  }

  private struct Server {
    let socket: BlockingSocket
    private var buffer = Server.buffer()

    init(socket: BlockingSocket) { self.socket = socket }

    static func buffer() -> [UInt8] { [UInt8](repeating: 0, count: 65_536) }

    /// Waits for bytes and sends them back; at the end it closes and returns false.
    mutating func echoOnce() -> Bool {
      let count = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
      if count == 0 {
        socket.close()
        return false
      }
      buffer.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      return true
    }
  }

  private static func holdSame(
    _ some: Slice<UnsafeRawBufferPointer>,
    _ others: Slice<UnsafeRawBufferPointer>
  ) -> Bool {
    let some = UnsafeRawBufferPointer(rebasing: some)
    let others = UnsafeRawBufferPointer(rebasing: others)
    guard let first = some.baseAddress, let other = others.baseAddress else { return true }
    return memcmp(first, other, some.count) == 0
  }
}
