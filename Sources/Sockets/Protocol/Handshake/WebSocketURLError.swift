/// The reason why a text is not a WebSocket URL.
///
/// Nothing was sent; correct the text.
public enum WebSocketURLError: Error, Hashable, Codable, Sendable {
  /// It does not begin with a scheme and `://`. Begin it with `wss://`.
  case notAbsolute
  /// The scheme is neither `ws` nor `wss`. Replace `https` by `wss`.
  case unsupportedScheme(String)
  /// It has a character that a URL cannot have, such as a space. Encode it with `%`.
  case invalidCharacter(String)
  /// There is no host between `://` and the path.
  case missingHost
  /// The host is neither a name, nor an IPv4 address, nor an IPv6 address in brackets.
  ///
  /// A name may have letters of any script that can be encoded (UTS 46). Labels are not empty and
  /// have at most 63 bytes in ASCII form. In a statically linked program Foundation encodes no
  /// letters: write `xn--...`.
  case invalidHost(String)
  /// The port is not a number from 1 to 65535.
  case invalidPort(String)
  /// It has a user or password. Put them into an `Authorization` header instead.
  case hasUserInfo
  /// It has a `#` (RFC 6455, section 3). Remove the fragment, or write `%23` for the character.
  case hasFragment
}

extension WebSocketURLError: CustomStringConvertible {
  /// The error as one line of English.
  public var description: String {
    switch self {
    case .notAbsolute: "the URL does not begin with ws:// or wss://"
    case .unsupportedScheme(let scheme): "the scheme of the URL is \(scheme), not ws or wss"
    case .invalidCharacter(let character):
      "the URL has a character that must be percent-encoded: \(character.debugDescription)"
    case .missingHost: "the URL has no host"
    case .invalidHost(let host):
      "\(host.withoutInvisibleSigns) is not a host"
        + (host.utf8.contains { $0 >= 0x80 }
          ? "; if it is one, write it in punycode: xn--..." : "")
    case .invalidPort(let port): "\(port) is not a port"
    case .hasUserInfo: "the URL has a user; send an Authorization header instead"
    case .hasFragment: "the URL has a fragment, which a WebSocket cannot have"
    }
  }
}

extension String {
  /// The text with characters that are invisible or change the direction written as `\u{202E}`.
  fileprivate var withoutInvisibleSigns: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        text += scalar.escaped(asASCII: true)
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
