import Foundation

/// A TCP socket with blocking calls; a failure ends the benchmark.
struct BlockingSocket: Sendable {
  private let descriptor: Int32

  /// The two ends of a connection over loopback; small writes leave at once.
  static func connectedPair() -> (client: BlockingSocket, server: BlockingSocket) {
    let listener = open()
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (client, accepted) = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        // Port 0, any free one, until `getsockname` says which.
        must(bind(listener, address, length), "bind")
        must(listen(listener, 1), "listen")
        must(getsockname(listener, address, &length), "getsockname")
        let client = open()
        must(connect(client, address, length), "connect")
        return (client, must(accept(listener, nil, nil), "accept"))
      }
    }
    _ = systemClose(listener)
    disableNagle(client)
    disableNagle(accepted)
    return (BlockingSocket(descriptor: client), BlockingSocket(descriptor: accepted))
  }

  /// A connection to a port of this machine; small writes leave at once.
  static func connected(to port: UInt16) -> BlockingSocket {
    let client = open()
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    address.sin_port = port.bigEndian
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = must(connect(client, address, length), "connect")
      }
    }
    disableNagle(client)
    return BlockingSocket(descriptor: client)
  }

  /// Waits for bytes and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    Self.must(recv(descriptor, buffer.baseAddress, buffer.count, 0), "recv")
  }

  /// Waits until all bytes are taken.
  func write(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      rest = rest.dropFirst(Self.must(send(descriptor, part.baseAddress, part.count, 0), "send"))
    }
  }

  func close() { _ = systemClose(descriptor) }

  private static func open() -> Int32 {
    #if canImport(Glibc)
    must(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), "socket")
    #else
    must(socket(AF_INET, SOCK_STREAM, 0), "socket")
    #endif
  }

  private static func disableNagle(_ descriptor: Int32) {
    var one: Int32 = 1
    let length = socklen_t(MemoryLayout<Int32>.size)
    must(setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, length), "setsockopt")
  }

  @discardableResult
  private static func must<Result: SignedInteger>(_ result: Result, _ call: String) -> Result {
    require(result >= 0, "\(call): \(String(cString: strerror(errno)))")
    return result
  }
}

// Inside `BlockingSocket` its own method would hide it.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
