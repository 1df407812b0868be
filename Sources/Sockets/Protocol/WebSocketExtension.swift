/// One element of a `Sec-WebSocket-Extensions` header (RFC 6455, section 9.1): a name, and parameters
/// with or without values.
struct WebSocketExtension: Equatable {
  struct Parameter: Equatable, CustomStringConvertible {
    var name: String
    var value: String?

    var description: String { value.map { "\(name)=\($0)" } ?? name }
  }

  var name: String
  var parameters: [Parameter] = []

  /// All extensions in these headers, in order; nil when one of them breaks the grammar.
  static func list(in headers: HTTPHeaders) -> [WebSocketExtension]? {
    var list: [WebSocketExtension] = []
    for value in headers.values(of: "Sec-WebSocket-Extensions") {
      var scanner = Scanner(value)
      repeat {
        // RFC 9110, 5.6.1: a list may have empty elements.
        scanner.skipBlanks()
        if scanner.isAtEnd || scanner.isAt(",") { continue }
        guard let element = scanner.takeExtension() else { return nil }
        list.append(element)
        scanner.skipBlanks()
        guard scanner.isAtEnd || scanner.isAt(",") else { return nil }
      } while scanner.take(",")
    }
    return list
  }
}

extension WebSocketExtension: CustomStringConvertible {
  /// As it stands in the header.
  var description: String {
    ([name] + parameters.map(\.description)).joined(separator: "; ")
  }
}

/// Reads the value of a header from its front.
private struct Scanner {
  private var rest: Substring.UnicodeScalarView

  init(_ value: String) { rest = value[...].unicodeScalars }

  var isAtEnd: Bool { rest.isEmpty }

  func isAt(_ scalar: Unicode.Scalar) -> Bool { rest.first == scalar }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard isAt(scalar) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  mutating func takeExtension() -> WebSocketExtension? {
    guard let name = takeToken() else { return nil }
    var element = WebSocketExtension(name: name)
    skipBlanks()
    while take(";") {
      skipBlanks()
      guard let name = takeToken() else { return nil }
      var parameter = WebSocketExtension.Parameter(name: name)
      skipBlanks()
      if take("=") {
        skipBlanks()
        guard let value = isAt("\"") ? takeQuotedString() : takeToken() else { return nil }
        parameter.value = value
        skipBlanks()
      }
      element.parameters.append(parameter)
    }
    return element
  }

  private mutating func takeToken() -> String? {
    let token = String(rest.prefix { !" \t,;=\"".unicodeScalars.contains($0) })
    rest = rest.dropFirst(token.unicodeScalars.count)
    return token.isHTTPToken ? token : nil
  }

  /// 9.1: without its quotes and backslashes, a quoted string has to be a token.
  private mutating func takeQuotedString() -> String? {
    var value = String.UnicodeScalarView()
    _ = take("\"")
    while let scalar = rest.popFirst(), scalar != "\"" {
      if scalar != "\\" {
        value.append(scalar)
      } else if let escaped = rest.popFirst() {
        value.append(escaped)
      } else {
        return nil
      }
      if rest.isEmpty { return nil }
    }
    let token = String(value)
    return token.isHTTPToken ? token : nil
  }
}
