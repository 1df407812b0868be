import Glibc
import Reactive
import Synchronization
import Testing
import TestSupport

@testable import Sockets

/// Runs a test on a loop of its own.
func withLoop<Result>(
  scratchSize: Int = 65_536,
  _ body: (EventLoop) async throws -> Result
) async throws -> Result {
  let loop = try EventLoop(name: "test", scratchSize: scratchSize)
  defer { loop.stop() }
  return try await body(loop)
}

extension EventLoop {
  /// Returns the number when turns of the loop no longer change it.
  func stableCount(_ count: () -> Int) async -> Int {
    var last = -1
    while last != count() {
      last = count()
      await settle(turns: 50)
    }
    return last
  }

  /// Runs `body` on the loop and returns its result.
  func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      execute { continuation.resume(returning: body()) }
    }
  }
}

extension TCPListener {
  /// Calls `accept` on the loop with a transport for each connection.
  func startTransports(_ accept: @escaping @Sendable (TCPTransport) -> Void) {
    start { [loop] socket in accept(TCPTransport(accepted: socket.descriptor, loop: loop)) }
  }
}

/// A connected pair of recorded TCP transports.
struct Loopback {
  let listener: TCPListener
  let client: TransportRecorder
  let server: TransportRecorder

  init(
    _ loop: EventLoop,
    onReceived: @escaping @Sendable (TransportRecorder, UnsafeRawBufferPointer) -> Void = { _, _ in
    }
  ) async throws {
    let accepted = Watched<TCPTransport?>(nil)
    listener = try TCPListener(loop: loop)
    listener.startTransports { transport in accepted.update { $0 = transport } }
    client = TransportRecorder(TCPTransport(host: "127.0.0.1", port: listener.port, loop: loop))
    await client.start()
    await accepted.wait { $0 != nil }
    server = TransportRecorder(try #require(accepted.value), onReceived: onReceived)
    await server.start()
  }
}

/// Bytes that detect a shift, a gap or a swap of blocks: the period divides no buffer size.
func pattern(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
  let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 ^ $0 >> 8) &+ seed }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + period.count)
  while bytes.count < count { bytes += period }
  bytes.removeLast(bytes.count - count)
  return bytes
}

/// Records an issue with the first difference of two byte sequences, not with all bytes.
func expectSame(
  _ bytes: [UInt8],
  _ expected: [UInt8],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if bytes.count == expected.count, memcmp(bytes, expected, bytes.count) == 0 { return }
  let common = zip(bytes, expected).prefix { $0 == $1 }.count
  Issue.record(
    "\(bytes.count) bytes instead of \(expected.count), the first \(common) are as expected",
    sourceLocation: sourceLocation
  )
}

/// A blocking socket for a misbehaving peer.
final class RawSocket: Sendable {
  let descriptor: Int32
  private let isOpen = Atomic(true)

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Connected to a port of this machine.
  static func connected(to port: UInt16) -> RawSocket {
    let raw = RawSocket(descriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    raw.withAddress(port) { _ = connect(raw.descriptor, $0, $1) }
    return raw
  }

  /// Bound to a free port.
  static func bound() -> RawSocket {
    let raw = RawSocket(descriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    raw.withAddress(0) { _ = bind(raw.descriptor, $0, $1) }
    return raw
  }

  var port: UInt16 { Socket(descriptor: descriptor).localAddress?.port ?? 0 }

  func listen(backlog: Int32) { _ = Glibc.listen(descriptor, backlog) }

  /// Accepts and closes a pending connection.
  func acceptAndClose() { _ = Glibc.close(accept(descriptor, nil, nil)) }

  /// - Parameter urgent: Marks the last byte as TCP's urgent data.
  func send(_ bytes: [UInt8], urgent: Bool = false) {
    _ = Glibc.send(descriptor, bytes, bytes.count, urgent ? Int32(truncatingIfNeeded: MSG_OOB) : 0)
  }

  /// Once: afterwards the number can belong to a socket of another test.
  func close() {
    if isOpen.exchange(false, ordering: .relaxed) { _ = Glibc.close(descriptor) }
  }

  /// Drops the connection with RST instead of FIN.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_LINGER,
      &linger,
      socklen_t(MemoryLayout.size(ofValue: linger))
    )
    close()
  }

  func makeNonBlocking() { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

  func beginConnecting(to port: UInt16) {
    makeNonBlocking()
    withAddress(port) { _ = connect(descriptor, $0, $1) }
  }

  private func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
