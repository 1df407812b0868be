#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The hosts that are reached without a proxy: those in `no_proxy`, and this machine.
///
/// Entries are separated by commas or blanks: `example.com` or `.example.com` (including
/// subdomains), `10.0.0.1`, `10.0.0.0/8`, each with or without `:port`; `*` is every host.
struct NoProxy {
  private struct Entry {
    let host: String
    let port: UInt16?
  }

  private let entries: [Entry]

  init(_ list: String) {
    entries = list.split { $0 == "," || $0 == " " || $0 == "\t" }.map {
      Self.entry($0.lowercased())
    }
  }

  private static func entry(_ text: String) -> Entry {
    let colons = text.count { $0 == ":" }
    var host = text[...]
    var port: UInt16?
    // More than one colon without brackets: an IPv6 address, which has no port.
    if colons == 1 || text.hasPrefix("["), let colon = text.lastIndex(of: ":"),
      let number = UInt16(text[colon...].dropFirst())
    {
      (host, port) = (text[..<colon], number)
    }
    if host.hasPrefix("[") && host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    while host.hasPrefix(".") { host = host.dropFirst() }
    if host.hasSuffix(".") { host = host.dropLast() }
    return Entry(host: HostName.ascii(String(host)) ?? String(host), port: port)
  }

  func covers(_ host: String, _ port: UInt16) -> Bool {
    var name = host.lowercased()
    // An absolute name ends with a dot.
    if name.hasSuffix(".") { name.removeLast() }
    let address = IPBytes(name)
    if name == "localhost" || address?.isLoopback == true { return true }
    return entries.contains { entry in
      if let wanted = entry.port, wanted != port { return false }
      if entry.host == "*" { return true }
      if let address { return address.isIn(entry.host) }
      return name == entry.host || name.hasSuffix("." + entry.host)
    }
  }
}

/// The 4 or 16 bytes of an IP address.
private struct IPBytes: Equatable {
  let bytes: [UInt8]

  init?(_ text: String) {
    let name = String(text.prefix { $0 != "%" })
    guard let bytes = Self.fourBytes(name) ?? Self.sixteenBytes(name) else { return nil }
    self.bytes = bytes
  }

  /// Parses IPv4 as connecting does: `127.1` and `0x7f000001` are 127.0.0.1.
  private static func fourBytes(_ text: String) -> [UInt8]? {
    var address = in_addr()
    guard inet_aton(text, &address) != 0 else { return nil }
    return withUnsafeBytes(of: address.s_addr) { [UInt8]($0) }
  }

  /// Parses IPv6; an IPv4 address mapped to IPv6 (`::ffff:127.0.0.1`) gives its four bytes.
  private static func sixteenBytes(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
  }

  /// Whether this is in 127.0.0.0/8, or `::1`.
  var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// Whether this is the address, or in the network, of a text like `10.0.0.0/8`.
  func isIn(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 1)
    guard let first = parts.first, let network = IPBytes(String(first)) else { return false }
    guard parts.count == 2 else { return self == network }
    guard let length = Int(parts[1]), (0...bytes.count * 8).contains(length),
      network.bytes.count == bytes.count
    else { return false }
    return zip(bytes, network.bytes).enumerated().allSatisfy { index, pair in
      let bits = min(max(length - index * 8, 0), 8)
      let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - bits))
      return pair.0 & mask == pair.1 & mask
    }
  }
}
