/// Reads the value of a header field from its front, by the common rules of RFC 9110, section 5.6.
struct HTTPFieldScanner {
  private var rest: ArraySlice<UInt8>

  init(_ value: String) { rest = Array(value.utf8)[...] }

  init(_ value: ArraySlice<UInt8>) { rest = value }

  var isAtEnd: Bool { rest.isEmpty }

  func isAt(_ scalar: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: scalar) }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard isAt(scalar) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func skipBlanks() { rest = rest.drop(while: \.isBlank) }

  /// Takes a token; nil when there is none.
  ///
  /// - Parameter others: Characters that belong to it though a token has none of them.
  mutating func takeToken(with others: String = "") -> String? {
    let token = rest.prefix { $0.isOfHTTPToken || others.utf8.contains($0) }
    rest = rest[token.endIndex...]
    return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
  }

  /// Takes a quoted string (RFC 9110, section 5.6.4), and returns it without quotes and backslashes; nil when
  /// there is none, or its end is missing.
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
