/// What one field of a proxy's header says of where a request came from, read from its end: strangers may
/// have written thousands of elements before the last one.
struct ForwardedList {
  enum Element: Equatable {
    case address(NetworkAddress)
    /// Well-formed, without an address.
    case hidden
    /// Of `Forwarded`: it breaks the grammar of RFC 7239, section 4.
    case malformed
  }

  private let header: TrustedProxies.Header
  private var rest: ArraySlice<UInt8>
  /// Where the commas are that separate elements of `Forwarded`: those in quotes do not, which shows from the front.
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

  /// Takes the last element that is not empty; nil when none is left.
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
  /// What `for` says in one element of `Forwarded`, like `for=203.0.113.9;proto=https` (RFC 7239, section 4),
  /// without quotes; empty when there is none, nil when the element is malformed.
  fileprivate mutating func takeNode() -> String? {
    var node: String?
    while !isAtEnd {
      skipBlanks()
      if let name = takeToken() {
        // Many write IPv6 and ports without quotes; these characters separate nothing.
        guard take("="), let value = takeQuotedString() ?? takeToken(with: "[]:") else {
          return nil
        }
        if name.equalsIgnoringCase("for") {
          // It must not occur twice.
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
