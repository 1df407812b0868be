#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An address of the Internet: IPv4 or IPv6, and a port where one is known.
///
/// An IPv4 address in the form of IPv6, `::ffff:192.0.2.1`, is the IPv4 address.
public struct NetworkAddress: Hashable, Sendable {
  // Not one number of 128 bits: a closure that captures it may have it where it is not aligned (Swift 6.3).
  private let high: UInt64
  private let low: UInt64
  /// The port; nil where it is not known, as behind most proxies.
  public let port: UInt16?

  private static let mappedPrefix = UInt128(0xFFFF) << 32

  init(bits: UInt128, port: UInt16?) {
    (high, low) = (UInt64(truncatingIfNeeded: bits >> 64), UInt64(truncatingIfNeeded: bits))
    self.port = port
  }

  /// The address in the form of IPv6.
  var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// An address in numbers, such as `192.0.2.1` or `2001:db8::1`; nil for anything else, a name too.
  public init?(_ host: String, port: UInt16? = nil) {
    var four = in_addr()
    var six = in6_addr()
    // C would see the part before the zero.
    guard !host.utf8.contains(0) else { return nil }
    let bits: UInt128
    if inet_pton(AF_INET, host, &four) == 1 {
      bits = Self.mappedPrefix | UInt128(UInt32(bigEndian: four.s_addr))
    } else if inet_pton(AF_INET6, host, &six) == 1 {
      bits = withUnsafeBytes(of: &six) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    } else {
      return nil
    }
    self.init(bits: bits, port: port)
  }

  /// Whether it is an address of IPv4.
  var isIPv4: Bool { bits >> 32 == 0xFFFF }

  /// The address in numbers, without the port.
  public var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isIPv4 {
      var four = in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian)
      inet_ntop(AF_INET, &four, &text, socklen_t(text.count))
    } else {
      var six = bits.bigEndian
      inet_ntop(AF_INET6, &six, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension NetworkAddress: CustomStringConvertible {
  /// `192.0.2.1:80` or `[2001:db8::1]:80`; without a port the host alone.
  public var description: String {
    guard let port else { return host }
    return isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
  }
}

extension NetworkAddress {
  /// An address as it stands in `Forwarded`, `X-Forwarded-For` and logs: with a port, in brackets, in quotes.
  init?(forwarded text: Substring) {
    var text = text.utf8.trimmingBlanks
    let quote = UInt8(ascii: "\"")
    if text.count >= 2, text.first == quote, text.last == quote {
      text = text.dropFirst().dropLast()
    }
    self.init(node: Substring(text))
  }

  /// The same without quotes (RFC 7239, section 6).
  init?(node: Substring) {
    let text = node.utf8
    if text.first == UInt8(ascii: "["), let end = text.firstIndex(of: UInt8(ascii: "]")) {
      let rest = text[end...].dropFirst()
      guard rest.isEmpty || rest.first == UInt8(ascii: ":"),
        let port = Self.port(rest.dropFirst())
      else { return nil }
      self.init(String(Substring(text[..<end].dropFirst())), port: port)
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")),
      text.lastIndex(of: UInt8(ascii: ":")) == colon
    {
      guard let port = Self.port(text[colon...].dropFirst()) else { return nil }
      self.init(String(Substring(text[..<colon])), port: port)
    } else {
      self.init(String(node))
    }
  }

  /// The port, which may be none; nil for what is not a port.
  private static func port(_ text: Substring.UTF8View) -> UInt16?? {
    if text.isEmpty { return .some(nil) }
    // RFC 7239, section 6: a port may be obfuscated, and is of no use then.
    if text.first == UInt8(ascii: "_") { return .some(nil) }
    guard text.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(Substring(text)) else {
      return nil
    }
    return port
  }
}

/// The addresses that begin alike, such as `10.0.0.0/8` or `2001:db8::/32`.
public struct NetworkRange: Hashable, Sendable {
  private let prefix: NetworkAddress
  private let length: Int

  /// A range in the notation of CIDR, or one address; nil for anything else.
  ///
  /// Bits behind the length are ignored.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = NetworkAddress(String(parts[0])) else { return nil }
    let width = address.isIPv4 ? 32 : 128
    var count = width
    if parts.count > 1 {
      guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]),
        number <= width
      else { return nil }
      count = number
    }
    length = count + 128 - width
    prefix = NetworkAddress(bits: address.bits & Self.mask(length), port: nil)
  }

  private static func mask(_ length: Int) -> UInt128 {
    length == 0 ? 0 : UInt128.max << (128 - length)
  }

  /// Whether the address lies in the range; its port does not matter.
  public func contains(_ address: NetworkAddress) -> Bool {
    address.bits & Self.mask(length) == prefix.bits
  }
}

extension NetworkRange: ExpressibleByStringLiteral {
  /// A range in the notation of CIDR, or one address.
  ///
  /// Traps when it is none: a literal that is wrong is wrong for ever.
  public init(stringLiteral text: String) {
    guard let range = NetworkRange(text) else {
      preconditionFailure("\(text.debugDescription) is not a range of addresses like 10.0.0.0/8.")
    }
    self = range
  }
}
