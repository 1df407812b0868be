/// Parses the value of a header field from its front, by the rules of RFC 9110, section 5.6.
struct HTTPFieldScanner {
  private var rest: ArraySlice<UInt8>

  init(_ value: ArraySlice<UInt8>) { rest = value }

  var isAtEnd: Bool { rest.isEmpty }

  func isAt(_ scalar: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: scalar) }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard isAt(scalar) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func skipBlanks() { rest = rest.drop(while: \.isBlank) }

  /// Takes a token; nil without one.
  ///
  /// - Parameter others: characters that are accepted in addition to those of a token
  mutating func takeToken(with others: String = "") -> String? {
    let token = rest.prefix { $0.isOfHTTPToken || others.utf8.contains($0) }
    rest = rest[token.endIndex...]
    return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
  }

  /// Takes a quoted string (RFC 9110, section 5.6.4) and returns it without quotes and backslashes.
  ///
  /// Nil without one, or when its closing quote is missing.
  mutating func takeQuotedString() -> String? {
    guard take("\"") else { return nil }
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        value.append(escaped)
      default: value.append(byte)
      }
    }
    return nil
  }
}
