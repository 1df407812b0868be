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
    let address = NetworkAddress(connectingTo: name)
    if name == "localhost" || address?.isLoopback == true { return true }
    return entries.contains { entry in
      if let wanted = entry.port, wanted != port { return false }
      if entry.host == "*" { return true }
      if let address { return address.isIn(entry.host) }
      return name == entry.host || name.hasSuffix("." + entry.host)
    }
  }
}

extension NetworkAddress {
  /// Whether this is in 127.0.0.0/8, or `::1`.
  fileprivate var isLoopback: Bool { isIPv4 ? bits >> 24 & 0xFF == 127 : bits == 1 }

  /// Whether this is the address, or in the range, of a text like `10.0.0.0/8`.
  fileprivate func isIn(_ text: String) -> Bool {
    guard text.contains("/") else { return self == NetworkAddress(connectingTo: text) }
    // An IPv6 range such as `::/0` does not contain IPv4 addresses.
    return isIPv4 != text.contains(":") && NetworkRange(text)?.contains(self) == true
  }
}
