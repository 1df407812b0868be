// HTTP defines its texts by bytes: a comma is one even if a combining mark follows it.

extension String {
  /// Whether both are equal when the case of ASCII letters is ignored, as HTTP compares.
  func equalsIgnoringCase(_ other: String) -> Bool { utf8.equalsIgnoringCase(other.utf8) }

  /// Whether this is a token, as the name of a header or a subprotocol (RFC 9110, section 5.6.2).
  var isHTTPToken: Bool { utf8.isHTTPToken }
}

extension Collection<UInt8> {
  /// Whether both are equal when the case of ASCII letters is ignored.
  func equalsIgnoringCase(_ other: some Collection<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let isEqual = withContiguousStorageIfAvailable { mine -> Bool? in
      other.withContiguousStorageIfAvailable { theirs in
        mine.indices.allSatisfy { mine[$0].lowercased == theirs[$0].lowercased }
      }
    }
    return isEqual.flatMap(\.self) ?? elementsEqual(other) { $0.lowercased == $1.lowercased }
  }

  /// Whether these are the bytes of a token.
  var isHTTPToken: Bool { !isEmpty && allSatisfy(\.isOfHTTPToken) }

  /// Whether these are decimal digits; also true of no bytes.
  var isDecimal: Bool { allSatisfy { (0x30...0x39).contains($0) } }

  /// Whether these bytes may be a field's value: no control characters except tabs.
  var isHTTPFieldValue: Bool { allSatisfy(\.isOfHTTPFieldValue) }
}

extension BidirectionalCollection<UInt8> where SubSequence == Self {
  /// The bytes without leading and trailing spaces and tabs.
  var trimmingBlanks: Self {
    let start = drop(while: \.isBlank)
    guard let end = start.lastIndex(where: { !$0.isBlank }) else { return start }
    return start[...end]
  }
}

extension UInt8 {
  /// Whether this is a space or a tab.
  var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// The letter of ASCII in lower case; any other byte as it is.
  var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// Whether the byte may be in a token (RFC 9110, section 5.6.2).
  var isOfHTTPToken: Bool {
    // One bit for each character of ASCII: !#$%&'*+-.^_`|~, digits and letters.
    let bits: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return self < 0x80 && bits >> (self & 63) & 1 == 1
  }

  /// Whether the byte may be in a field's value (RFC 9110, section 5.5).
  var isOfHTTPFieldValue: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }
}
