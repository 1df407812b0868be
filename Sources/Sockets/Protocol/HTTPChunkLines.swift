/// The line before a chunk: its size, and perhaps extensions, which are nobody's (RFC 9112, section 7.1).
///
/// Byte by byte, and nothing is kept of it.
struct ChunkSizeLine {
  private enum Part {
    case digits
    /// Behind the digits: only a semicolon may follow.
    case blanks
    case extensions
    case lineEnd
  }

  /// How long it may be, and how many digits it may have.
  private static let limit = 1_024
  private static let digitLimit = 8

  private var part = Part.digits
  private var size = 0
  private var digitCount = 0
  private var count = 0

  /// Takes the next byte; the size of the chunk with the last one.
  mutating func receive(_ byte: UInt8) throws(HandshakeRefusal) -> Int? {
    count += 1
    guard count <= Self.limit else { throw .badRequest("a chunk's size is too long") }
    switch (part, byte) {
    case (.digits, _) where byte.isHexDigit && digitCount < Self.digitLimit:
      digitCount += 1
      size = size << 4 | byte.hexValue
    case (.digits, UInt8(ascii: ";")) where digitCount > 0, (.blanks, UInt8(ascii: ";")):
      part = .extensions
    case (.digits, _) where digitCount > 0 && byte.isBlank: part = .blanks
    case (.blanks, _) where byte.isBlank: break
    case (.digits, 0x0D) where digitCount > 0, (.extensions, 0x0D): part = .lineEnd
    case (.extensions, _) where byte.isOfHTTPFieldValue: break
    case (.lineEnd, 0x0A): return size
    default: throw .badRequest("a chunk's size is not a line of hexadecimal digits")
    }
    return nil
  }
}

/// The fields behind the last chunk, which are nobody's (RFC 9112, section 7.1.2).
///
/// Byte by byte, and nothing is kept of them: a line that is no field could be the next request to another
/// program.
struct TrailerFields {
  private enum Part {
    case lineStart, name, value
    case lineEnd
    /// Of the empty line.
    case end
  }

  /// How long they may be together.
  private static let limit = 8 << 10

  private var part = Part.lineStart
  private var count = 0

  /// Takes the next byte; whether it was the last one.
  mutating func receive(_ byte: UInt8) throws(HandshakeRefusal) -> Bool {
    count += 1
    guard count <= Self.limit else {
      throw .badRequest("the fields behind the body are too long")
    }
    switch (part, byte) {
    case (.lineStart, 0x0D): part = .end
    case (.lineStart, _) where byte.isOfHTTPToken: part = .name
    case (.name, UInt8(ascii: ":")): part = .value
    case (.name, _) where byte.isOfHTTPToken: break
    case (.value, 0x0D): part = .lineEnd
    case (.value, _) where byte.isOfHTTPFieldValue: break
    case (.lineEnd, 0x0A): part = .lineStart
    case (.end, 0x0A): return true
    default: throw .badRequest("behind the body stands what is no field")
    }
    return false
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit.
  fileprivate var hexValue: Int { Int(self <= 0x39 ? self & 0x0F : (self & 0x0F) + 9) }
}
