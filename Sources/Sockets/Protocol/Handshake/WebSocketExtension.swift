/// One element of a `Sec-WebSocket-Extensions` header: a name and parameters (RFC 6455, 9.1).
struct WebSocketExtension: Equatable {
  struct Parameter: Equatable, CustomStringConvertible {
    var name: String
    var value: String?

    var description: String { value.map { "\(name)=\($0)" } ?? name }
  }

  var name: String
  var parameters: [Parameter] = []

  /// All extensions in these headers, in order; nil if one is malformed, or there are too many.
  static func list(in headers: HTTPHeaders) -> [WebSocketExtension]? {
    var list: [WebSocketExtension] = []
    // The limit counts extensions and parameters together.
    var room = HTTPHeaders.listLimit
    for value in headers.bytes(of: "Sec-WebSocket-Extensions") {
      var scanner = HTTPFieldScanner(value)
      repeat {
        // RFC 9110, 5.6.1: a list may have empty elements.
        scanner.skipBlanks()
        if scanner.isAtEnd || scanner.isAt(",") { continue }
        guard room > 0, let element = scanner.takeExtension(parameterLimit: room - 1) else {
          return nil
        }
        room -= 1 + element.parameters.count
        list.append(element)
        scanner.skipBlanks()
        guard scanner.isAtEnd || scanner.isAt(",") else { return nil }
      } while scanner.take(",")
    }
    return list
  }
}

extension WebSocketExtension: CustomStringConvertible {
  /// The element as it is written in the header.
  var description: String {
    ([name] + parameters.map(\.description)).joined(separator: "; ")
  }
}

extension HTTPFieldScanner {
  /// Takes an extension; nil if it is malformed or has too many parameters.
  fileprivate mutating func takeExtension(parameterLimit: Int) -> WebSocketExtension? {
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
        // 9.1: after unquoting, a quoted string has to be a token.
        guard let value = takeQuotedString() ?? takeToken(), value.isHTTPToken else { return nil }
        parameter.value = value
        skipBlanks()
      }
      element.parameters.append(parameter)
      guard element.parameters.count <= parameterLimit else { return nil }
    }
    return element
  }
}
