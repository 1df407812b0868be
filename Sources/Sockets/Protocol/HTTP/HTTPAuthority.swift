/// A host with an optional port, as in `Host` and URLs (RFC 3986, sections 3.2.2 and 3.2.3).
struct HTTPAuthority {
  /// The host as written; may be empty.
  let host: ArraySlice<UInt8>

  /// Parses an authority; nil if it is malformed or has a user.
  init?(_ bytes: ArraySlice<UInt8>) {
    let end: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let address = bytes[..<bracket].dropFirst()
      // Brackets are for IPv6 only; IPv4 is written without them.
      guard address.contains(UInt8(ascii: ":")),
        NetworkAddress(String(decoding: address, as: UTF8.self)) != nil
      else { return nil }
      end = bracket + 1
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      guard bytes[..<end].isRegisteredName else { return nil }
    }
    let port = bytes[end...]
    guard port.isEmpty || port.first == UInt8(ascii: ":"),
      port.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    host = bytes[..<end]
  }
}

extension ArraySlice<UInt8> {
  /// Whether a URL may have this as a name instead of an address; it may be empty.
  fileprivate var isRegisteredName: Bool {
    var rest = self
    while let byte = rest.popFirst() {
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": break
      case "!", "$", "&"..."*", "+", ",", ";", "=": break
      case "%":
        guard rest.count > 1, rest.prefix(2).allSatisfy(\.isHexDigit) else { return false }
        rest = rest.dropFirst(2)
      default: return false
      }
    }
    return true
  }
}
