#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An IPv4 or IPv6 address with its port.
struct SocketAddress: Sendable {
  private var storage = sockaddr_storage()
  private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

  /// Calls a function that fills in an address, such as `getsockname`; nil if that fails.
  init?(_ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var length = length
    let code = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
    }
    guard code == 0 else { return nil }
    self.length = length
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  var family: Int32 { Int32(storage.ss_family) }

  /// The address without the zone of IPv6; nil unless it is IPv4 or IPv6.
  var networkAddress: NetworkAddress? {
    withUnsafeBytes(of: storage) { bytes in
      switch family {
      case AF_INET:
        let four = bytes.load(as: sockaddr_in.self)
        return NetworkAddress(four.sin_addr, port: UInt16(bigEndian: four.sin_port))
      case AF_INET6:
        let six = bytes.load(as: sockaddr_in6.self)
        return NetworkAddress(six.sin6_addr, port: UInt16(bigEndian: six.sin6_port))
      default: return nil
      }
    }
  }

  var port: UInt16 { networkAddress?.port ?? 0 }
}

extension SocketAddress: CustomStringConvertible {
  /// The address as `127.0.0.1:80` or `[fe80::1%eth0]:80`.
  var description: String {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = withPointer {
      getnameinfo($0, $1, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    }
    let host = code == 0 ? String(terminated: text) : "?"
    return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

// MARK: Order

extension SocketAddress {
  /// Alternates the families, beginning with the first address's (RFC 8305, section 4).
  ///
  /// Each family keeps its own order.
  static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
    let family = addresses.first?.family
    var preferred = addresses.filter { $0.family == family }[...]
    var others = addresses.filter { $0.family != family }[...]
    var result: [SocketAddress] = []
    while !preferred.isEmpty || !others.isEmpty {
      if let next = preferred.popFirst() { result.append(next) }
      if let next = others.popFirst() { result.append(next) }
    }
    return result
  }
}

// MARK: From names

extension SocketAddress {
  /// The kind of a look-up, as `getaddrinfo` takes it.
  struct Lookup {
    fileprivate let flags: Int32

    /// Numeric addresses only: returns at once, with no address for a name.
    static let literal = Lookup(flags: AI_NUMERICHOST)

    /// Asks the machine's resolver, which may block for many seconds.
    static let name = Lookup(flags: 0)

    /// Like `name`; an empty host means every address of this machine.
    static let listening = Lookup(flags: AI_PASSIVE)
  }

  /// The addresses of `host`, best first, at least one.
  static func find(
    _ host: String,
    port: UInt16,
    _ lookup: Lookup
  ) throws(TransportError) -> [SocketAddress] {
    // C ends a string at a zero byte, so it would look up another name.
    guard !host.utf8.contains(0) else {
      throw .hostNotFound(host: host, reason: "a name cannot contain a zero byte")
    }
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Socket.streamType
    hints.ai_flags = lookup.flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list)
    guard code == 0 else {
      let reason = code == EAI_SYSTEM ? systemMessage(errno) : String(cString: gai_strerror(code))
      throw .hostNotFound(host: host, reason: reason)
    }
    defer { freeaddrinfo(list) }
    let addresses = sequence(first: list) { $0?.pointee.ai_next }
      .prefix { $0 != nil }
      .compactMap { node -> SocketAddress? in
        guard let info = node?.pointee, let address = info.ai_addr else { return nil }
        return SocketAddress { storage, length in
          memcpy(storage, address, Int(info.ai_addrlen))
          length.pointee = info.ai_addrlen
          return 0
        }
      }
    guard !addresses.isEmpty else { throw .hostNotFound(host: host, reason: "no address") }
    return addresses
  }
}
