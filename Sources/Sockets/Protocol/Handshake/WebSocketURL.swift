/// A WebSocket URL: `ws://host:port/path?query`, or `wss` for TLS (RFC 6455, section 3).
///
/// A URL with a user or password is refused, because URLs end up in logs. Use an `Authorization`
/// header.
package struct WebSocketURL: Hashable, Sendable {
  /// Whether the connection uses TLS.
  package let isSecure: Bool
  /// The name or address to connect to, in ASCII.
  ///
  /// Percent escapes are decoded, letters of other scripts are encoded, and an IPv6 address has no
  /// brackets.
  package let host: String
  /// The port to connect to; 80 or 443 unless the URL has one.
  package let port: UInt16
  /// Path and query for the request; begins with a slash.
  package let target: String

  /// Parses a URL.
  package init(_ text: String) throws(WebSocketURLError) {
    let range = Self.rangeOfAuthority(in: text)
    let scalars = text.unicodeScalars
    // RFC 3986, section 2: other characters are percent-encoded; a host may have letters of any
    // script.
    for index in scalars.indices where !scalars[index].isAllowedInURL {
      guard range.contains(index), !scalars[index].isASCII else {
        throw .invalidCharacter(String(scalars[index]))
      }
    }
    // By bytes, because a character and a combining accent after it are one `Character`.
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      text.utf8[colon...].starts(with: "://".utf8)
    else { throw .notAbsolute }
    switch text[..<colon].lowercased() {
    case "ws": isSecure = false
    case "wss": isSecure = true
    default: throw .unsupportedScheme(String(text[..<colon]))
    }
    // RFC 6455, section 3: fragment identifiers MUST NOT be used.
    guard !text.contains("#") else { throw .hasFragment }

    let authority = text[range]
    guard !authority.contains("@") else { throw .hasUserInfo }
    guard let parts = HTTPAuthority(authority.utf8) else {
      throw .invalidHost(String(authority))
    }
    host = try Self.host(Substring(parts.host))
    port = try Self.port(Substring(parts.port)) ?? (isSecure ? 443 : 80)
    // RFC 6455, section 3: an empty path is "/".
    let rest = text[range.upperBound...]
    target = rest.hasPrefix("/") ? String(rest) : "/" + rest
  }

  /// The value of the `Host` header: the port only if it is not the default (4.1).
  package var authority: String {
    // RFC 6874: the zone names an interface of this machine, which the server does not know.
    let name = host.contains(":") ? "[\(host.prefix { $0 != "%" })]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// The range of the authority: between the first `//` and the path, query or fragment.
  private static func rangeOfAuthority(in text: String) -> Range<String.Index> {
    let start = text.utf8.firstRange(of: "//".utf8)?.upperBound ?? text.endIndex
    let end = text.utf8[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
    return start..<end
  }

  private static func host(_ text: Substring) throws(WebSocketURLError) -> String {
    guard !text.isEmpty else { throw .missingHost }
    let host: String?
    if text.hasPrefix("[") {
      let address = text.dropFirst().dropLast().undoingPercentEncoding
      host = address.flatMap { Self.isAddressWithZone($0) ? $0 : nil }
    } else {
      host = HostName.ascii(ofEncoded: text)
    }
    guard let host else { throw .invalidHost(String(text)) }
    return host
  }

  /// Whether this is an IPv6 address, with or without a zone (`fe80::1%eth0`).
  private static func isAddressWithZone(_ text: String) -> Bool {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, parts[1].isEmpty || !parts[1].isDNSName { return false }
    return parts[0].isIPv6Address
  }

  private static func port(_ text: Substring) throws(WebSocketURLError) -> UInt16? {
    if text.isEmpty { return nil }
    guard text.utf8.isDecimal, let port = UInt16(text), port > 0
    else { throw .invalidPort(String(text)) }
    return port
  }
}

extension WebSocketURL: CustomStringConvertible {
  package var description: String { (isSecure ? "wss://" : "ws://") + authority + target }
}

extension Unicode.Scalar {
  /// Whether a URL may have this character (RFC 3986, section 2).
  fileprivate var isAllowedInURL: Bool {
    switch self {
    case "\u{21}"..."\u{7E}": !"\"<>\\^`{|}".unicodeScalars.contains(self)
    default: false
    }
  }
}
