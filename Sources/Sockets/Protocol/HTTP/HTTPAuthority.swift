/// A host with an optional port, as in `Host` and URLs (RFC 3986, sections 3.2.2 and 3.2.3).
///
/// Both parts are as written, and may be empty.
struct HTTPAuthority<Text: Collection<UInt8>> where Text.SubSequence == Text {
  let host: Text
  let port: Text

  /// Splits an authority; nil if the host is followed by something other than a port.
  init?(_ text: Text) {
    var end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    // The colons in brackets belong to an IPv6 address.
    if text.first == UInt8(ascii: "[") {
      guard let bracket = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = text.index(after: bracket)
    }
    let rest = text[end...]
    guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return nil }
    host = text[..<end]
    port = rest.dropFirst()
  }

  /// Whether it conforms to RFC 3986 and has no user.
  var isWellFormed: Bool {
    guard port.isDecimal else { return false }
    if host.first != UInt8(ascii: "[") { return host.isRegisteredName }
    // Brackets are for IPv6 only; IPv4 is written without them.
    return String(decoding: host.dropFirst(), as: UTF8.self).dropLast().isIPv6Address
  }
}

extension Collection<UInt8> where SubSequence == Self {
  /// Whether a URL may have this as a name instead of an address; it may be empty.
  fileprivate var isRegisteredName: Bool {
    var rest = self
    while let byte = rest.popFirst() {
      switch Unicode.Scalar(byte) {
      case _ where byte.isUnreserved: break
      case "!", "$", "&"..."*", "+", ",", ";", "=": break
      case "%":
        guard rest.prefix(2).compactMap(\.hexDigitValue).count == 2 else { return false }
        rest = rest.dropFirst(2)
      default: return false
      }
    }
    return true
  }
}
