#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An IPv4 or IPv6 address, with a port if it is known.
///
/// An IPv4 address mapped to IPv6, `::ffff:192.0.2.1`, equals the IPv4 address.
public struct NetworkAddress: Hashable, Sendable {
  // Not one UInt128: a closure that captures it may store it unaligned (Swift 6.3).
  private let high: UInt64
  private let low: UInt64
  /// The port; nil if it is unknown, as behind most proxies.
  public let port: UInt16?

  private static let mappedPrefix = UInt128(0xFFFF) << 32

  init(bits: UInt128, port: UInt16?) {
    (high, low) = (UInt64(truncatingIfNeeded: bits >> 64), UInt64(truncatingIfNeeded: bits))
    self.port = port
  }

  /// The address as the number of its IPv6 form.
  var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// Parses a numeric address, such as `192.0.2.1` or `2001:db8::1`; nil for names and other text.
  public init?(_ host: String, port: UInt16? = nil) {
    var four = in_addr()
    var six = in6_addr()
    // C ends a string at a zero byte, and would ignore the rest.
    guard !host.utf8.contains(0) else { return nil }
    if inet_pton(AF_INET, host, &four) == 1 {
      self.init(four, port: port)
    } else if inet_pton(AF_INET6, host, &six) == 1 {
      self.init(six, port: port)
    } else {
      return nil
    }
  }

  /// Parses an address as connecting does: `127.1` and `0x7f000001` are 127.0.0.1.
  ///
  /// A zone is ignored.
  init?(connectingTo host: String) {
    let name = String(host.prefix { $0 != "%" })
    var four = in_addr()
    if inet_aton(name, &four) != 0 { self.init(four, port: nil) } else { self.init(name) }
  }

  init(_ address: in_addr, port: UInt16?) {
    self.init(bits: Self.mappedPrefix | UInt128(UInt32(bigEndian: address.s_addr)), port: port)
  }

  init(_ address: in6_addr, port: UInt16?) {
    let bits = withUnsafeBytes(of: address) { $0.loadUnaligned(as: UInt128.self) }
    self.init(bits: UInt128(bigEndian: bits), port: port)
  }

  /// Whether this is an IPv4 address.
  var isIPv4: Bool { bits >> 32 == 0xFFFF }

  /// The numeric address without the port.
  public var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isIPv4 {
      var four = in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian)
      inet_ntop(AF_INET, &four, &text, socklen_t(text.count))
    } else {
      var six = bits.bigEndian
      inet_ntop(AF_INET6, &six, &text, socklen_t(text.count))
    }
    return String(terminated: text)
  }
}

extension String {
  /// The characters before the zero that ends a text in C.
  init(terminated characters: [CChar]) {
    self.init(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension NetworkAddress: CustomStringConvertible {
  /// The address as `192.0.2.1:80` or `[2001:db8::1]:80`; without a port, the host alone.
  public var description: String {
    guard let port else { return host }
    return isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
  }
}

extension NetworkAddress {
  /// Parses an address of `Forwarded`, `X-Forwarded-For` or a log: with port, brackets and quotes.
  init?(forwarded text: Substring) {
    var text = text.utf8.trimmingBlanks
    let quote = UInt8(ascii: "\"")
    if text.count >= 2, text.first == quote, text.last == quote {
      text = text.dropFirst().dropLast()
    }
    self.init(node: Substring(text))
  }

  /// Parses an address without quotes (RFC 7239, section 6).
  init?(node: Substring) {
    let isBracketed = node.utf8.first == UInt8(ascii: "[")
    // Several colons without brackets are those of an IPv6 address, which has no port.
    if !isBracketed, node.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 {
      self.init(String(node))
      return
    }
    guard let parts = HTTPAuthority(node.utf8), let port = Self.port(parts.port) else { return nil }
    let host = isBracketed ? parts.host.dropFirst().dropLast() : parts.host
    self.init(String(Substring(host)), port: port)
  }

  /// Parses an optional port: an inner nil means an unknown port, an outer nil malformed text.
  private static func port(_ text: Substring.UTF8View) -> UInt16?? {
    // RFC 7239, section 6: an obfuscated port is allowed, and ignored.
    if text.isEmpty || text.first == UInt8(ascii: "_") { return .some(nil) }
    guard text.isDecimal, let port = UInt16(Substring(text)) else { return nil }
    return port
  }
}

/// The addresses with a common prefix, such as `10.0.0.0/8` or `2001:db8::/32`.
public struct NetworkRange: Hashable, Sendable {
  private let prefix: NetworkAddress
  private let length: Int

  /// Parses a range in CIDR notation, or one address; nil for anything else.
  ///
  /// Bits after the prefix are ignored.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = NetworkAddress(String(parts[0])) else { return nil }
    let width = address.isIPv4 ? 32 : 128
    var count = width
    if parts.count > 1 {
      guard parts[1].utf8.isDecimal, let number = Int(parts[1]), number <= width else { return nil }
      count = number
    }
    length = count + 128 - width
    prefix = NetworkAddress(bits: address.bits & Self.mask(length), port: nil)
  }

  private static func mask(_ length: Int) -> UInt128 {
    length == 0 ? 0 : UInt128.max << (128 - length)
  }

  /// Whether the range contains the address; its port is ignored.
  public func contains(_ address: NetworkAddress) -> Bool {
    address.bits & Self.mask(length) == prefix.bits
  }
}

extension NetworkRange: ExpressibleByStringLiteral {
  /// Makes a range of a literal in CIDR notation, or of one address.
  ///
  /// Traps if the literal is malformed, which is a mistake in the program.
  public init(stringLiteral text: String) {
    guard let range = NetworkRange(text) else {
      preconditionFailure("\(text.debugDescription) is not a range of addresses like 10.0.0.0/8.")
    }
    self = range
  }
}
