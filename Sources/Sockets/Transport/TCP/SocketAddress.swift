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
    let result = withUnsafeMutablePointer(to: &storage) { [length] storage in
      var length = length
      let result = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
      return (code: result, length: length)
    }
    guard result.code == 0 else { return nil }
    length = result.length
  }

  private init(copying address: UnsafePointer<sockaddr>, length: socklen_t) {
    withUnsafeMutableBytes(of: &storage) { storage in
      let count = min(Int(length), storage.count)
      storage.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
    }
    self.length = length
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  var family: Int32 { Int32(storage.ss_family) }

  /// Host and port in numeric form.
  private var names: (host: String, port: String) {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: 8)
    let flags = NI_NUMERICHOST | NI_NUMERICSERV
    let code = withPointer { address, length in
      getnameinfo(
        address,
        length,
        &host,
        socklen_t(host.count),
        &port,
        socklen_t(port.count),
        flags
      )
    }
    return code == 0 ? (Self.text(host), Self.text(port)) : ("?", "0")
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  var port: UInt16 { UInt16(names.port) ?? 0 }
}

extension NetworkAddress {
  /// The address of a socket; nil unless it is IPv4 or IPv6.
  init?(_ address: SocketAddress) {
    let found: NetworkAddress? = address.withPointer { pointer, length in
      switch Int32(pointer.pointee.sa_family) {
      case AF_INET where Int(length) >= MemoryLayout<sockaddr_in>.size:
        pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          NetworkAddress($0.pointee.sin_addr, port: UInt16(bigEndian: $0.pointee.sin_port))
        }
      case AF_INET6 where Int(length) >= MemoryLayout<sockaddr_in6>.size:
        pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          NetworkAddress($0.pointee.sin6_addr, port: UInt16(bigEndian: $0.pointee.sin6_port))
        }
      default: nil
      }
    }
    guard let found else { return nil }
    self = found
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The address as `127.0.0.1:80` or `[::1]:80`.
  var description: String {
    let (host, port) = names
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
  enum Lookup {
    /// Numeric addresses only: returns at once, with no address for a name.
    case literal

    /// Asks the machine's resolver, which may block for many seconds.
    case name

    /// Like `name`; an empty host means every address of this machine.
    case listening

    fileprivate var flags: Int32 {
      switch self {
      case .literal: AI_NUMERICHOST | AI_NUMERICSERV
      case .name: AI_NUMERICSERV
      case .listening: AI_PASSIVE | AI_NUMERICSERV
      }
    }
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
    hints.ai_flags = lookup.flags
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
        return SocketAddress(copying: address, length: info.ai_addrlen)
      }
    guard !addresses.isEmpty else { throw .hostNotFound(host: host, reason: "no address") }
    return addresses
  }
}
