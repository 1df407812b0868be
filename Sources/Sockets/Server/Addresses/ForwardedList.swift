/// The elements of one forwarding header's value, read from its end.
///
/// The client may have written thousands of elements before the last one, so the front is not
/// parsed.
struct ForwardedList {
  enum Element: Equatable {
    case address(NetworkAddress)
    /// Well-formed, but without an address.
    case hidden
    /// An element of `Forwarded` that violates the grammar of RFC 7239, section 4.
    case malformed
  }

  private let header: TrustedProxies.Header
  private var rest: ArraySlice<UInt8>
  /// The positions of the commas between elements of `Forwarded`.
  ///
  /// They are found from the front, because only that shows which commas are inside quotes.
  private var commas: [Int] = []

  init(_ value: String, _ header: TrustedProxies.Header) {
    self.header = header
    rest = Array(value.utf8)[...]
    if case .forwarded = header { commas = Self.commas(in: rest) }
  }

  private static func commas(in text: ArraySlice<UInt8>) -> [Int] {
    var commas: [Int] = []
    var isQuoted = false
    var isEscaped = false
    for (index, byte) in zip(text.indices, text) {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isQuoted: isEscaped = true
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted: commas.append(index)
      default: break
      }
    }
    return commas
  }

  /// Removes the last element that is not empty; nil when none is left.
  mutating func popLast() -> Element? {
    while !rest.isEmpty {
      let comma =
        switch header {
        case .xForwardedFor: rest.lastIndex(of: UInt8(ascii: ","))
        case .forwarded: commas.popLast()
        }
      let element = (comma.map { rest[$0...].dropFirst() } ?? rest).trimmingBlanks
      rest = rest[..<(comma ?? rest.startIndex)]
      if !element.isEmpty { return read(element) }
    }
    return nil
  }

  private func read(_ element: ArraySlice<UInt8>) -> Element {
    switch header {
    case .xForwardedFor:
      let text = String(decoding: element, as: UTF8.self)
      return NetworkAddress(forwarded: text[...]).map { .address($0) } ?? .hidden
    case .forwarded:
      var scanner = HTTPFieldScanner(element)
      guard let node = scanner.takeNode() else { return .malformed }
      return NetworkAddress(node: node[...]).map { .address($0) } ?? .hidden
    }
  }
}

extension HTTPFieldScanner {
  /// The value of `for` in an element such as `for=203.0.113.9;proto=https` (RFC 7239, section 4).
  ///
  /// Returned without quotes; empty without `for`, nil for a malformed element.
  fileprivate mutating func takeNode() -> String? {
    var node: String?
    while !isAtEnd {
      skipBlanks()
      if let name = takeToken() {
        // Many proxies write IPv6 and ports without quotes; these characters separate nothing.
        guard take("="), let value = takeQuotedString() ?? takeToken(with: "[]:") else {
          return nil
        }
        if name.equalsIgnoringCase("for") {
          // `for` must not occur twice.
          guard node == nil else { return nil }
          node = value
        }
        skipBlanks()
      }
      guard isAtEnd || take(";") else { return nil }
    }
    return node ?? ""
  }
}
