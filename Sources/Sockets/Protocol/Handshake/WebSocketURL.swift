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
        throw .invalidCharacter(scalars[index])
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
    let (hostText, portText) = try Self.split(authority)
    host = try Self.host(hostText)
    port = try Self.port(portText) ?? (isSecure ? 443 : 80)
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

  private static func split(
    _ authority: Substring
  ) throws(WebSocketURLError) -> (host: Substring, port: Substring) {
    // The colons in brackets belong to an IPv6 address.
    let hostEnd: Substring.Index
    if authority.hasPrefix("[") {
      guard let bracket = authority.firstIndex(of: "]") else {
        throw .invalidHost(String(authority))
      }
      hostEnd = authority.index(after: bracket)
    } else {
      hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
    }
    let rest = authority[hostEnd...]
    guard rest.isEmpty || rest.hasPrefix(":") else { throw .invalidHost(String(authority)) }
    return (authority[..<hostEnd], rest.dropFirst())
  }

  private static func host(_ text: Substring) throws(WebSocketURLError) -> String {
    guard !text.isEmpty else { throw .missingHost }
    let host: String?
    if text.hasPrefix("[") {
      let address = text.dropFirst().dropLast().undoingPercentEncoding
      host = address.flatMap { $0.isIPv6Address ? $0 : nil }
    } else {
      host = HostName.ascii(ofEncoded: text)
    }
    guard let host else { throw .invalidHost(String(text)) }
    return host
  }

  private static func port(_ text: Substring) throws(WebSocketURLError) -> UInt16? {
    if text.isEmpty { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port > 0
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

extension StringProtocol {
  /// Whether this is an IPv6 address, with or without a zone (`fe80::1%eth0`).
  fileprivate var isIPv6Address: Bool {
    let parts = split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, parts[1].isEmpty || !parts[1].isRegisteredName { return false }
    // RFC 4291, section 2.2: eight groups, of which one "::" stands for one or more.
    let halves = parts[0].split(separator: "::", omittingEmptySubsequences: false)
    switch halves.count {
    case 1: return halves[0].countOfIPv6Groups == 8
    case 2:
      let counts = halves.map { $0.isEmpty ? 0 : $0.countOfIPv6Groups }
      guard let before = counts[0], let after = counts[1] else { return false }
      return before + after < 8 && !halves[0].contains(".")
    default: return false
    }
  }

  /// The number of groups; an IPv4 address at the end counts as two, nil if one is invalid.
  private var countOfIPv6Groups: Int? {
    var groups = split(separator: ":", omittingEmptySubsequences: false)
    var count = 0
    if let last = groups.last, last.contains(".") {
      let numbers = last.split(separator: ".", omittingEmptySubsequences: false)
      guard numbers.count == 4, numbers.allSatisfy({ UInt8($0) != nil && $0.first != "+" }) else {
        return nil
      }
      groups.removeLast()
      count = 2
    }
    let isValid = groups.allSatisfy {
      (1...4).contains($0.count) && $0.utf8.allSatisfy(\.isHexDigit)
    }
    return isValid ? count + groups.count : nil
  }
}
