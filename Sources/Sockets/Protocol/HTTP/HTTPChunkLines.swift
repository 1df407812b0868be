/// The line before a chunk: its size and ignored extensions (RFC 9112, section 7.1).
///
/// It is parsed byte by byte and not stored.
struct ChunkSizeLine {
  private enum Part {
    case digits
    /// After the digits: only a semicolon or the line end may follow.
    case blanks
    case extensions
    case lineEnd
  }

  /// The most bytes of the line, and the most digits of the size.
  private static let limit = 1_024
  private static let digitLimit = 8

  private var part = Part.digits
  private var size = 0
  private var digitCount = 0
  private var count = 0

  /// Accepts the next byte; returns the size of the chunk after the last byte of the line.
  mutating func receive(_ byte: UInt8) throws(HandshakeRefusal) -> Int? {
    count += 1
    guard count <= Self.limit else { throw .badRequest("a chunk's size is too long") }
    if part == .digits, digitCount < Self.digitLimit, let digit = byte.hexDigitValue {
      digitCount += 1
      size = size << 4 | digit
      return nil
    }
    switch (part, byte) {
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

/// The trailer fields after the last chunk, which are ignored (RFC 9112, section 7.1.2).
///
/// They are checked byte by byte and not stored. The check matters: another program on the way
/// could read a line that is not a field as the next request.
struct TrailerFields {
  private enum Part {
    case lineStart, name, value
    case lineEnd
    /// The line feed of the empty line that ends the fields.
    case end
  }

  /// The most bytes of all trailer fields.
  private static let limit = 8 << 10

  private var part = Part.lineStart
  private var count = 0

  /// Accepts the next byte; returns whether it was the last one.
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
