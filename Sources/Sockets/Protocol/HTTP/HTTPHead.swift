/// The head of an HTTP/1.1 message: a start line and header fields (RFC 9112, section 2.1).
struct HTTPHead {
  /// The number of bytes as they have arrived, with the empty line that ends the head.
  private let length: Int
  private let startLineRange: Range<Int>
  let headers: HTTPHeaders

  /// The start line without its end, in UTF-8.
  var startLine: ArraySlice<UInt8> {
    headers.bytes[startLineRange]
  }

  /// The bytes that it was parsed from.
  var bytes: ArraySlice<UInt8> { headers.bytes[..<length] }
}

// MARK: - Writing

extension HTTPHead {
  /// The bytes of a head, with the empty line that ends it.
  static func bytes(_ startLine: String, _ headers: HTTPHeaders) -> [UInt8] {
    var bytes = Array(startLine.utf8)
    bytes += "\r\n".utf8
    headers.append(to: &bytes)
    bytes += "\r\n".utf8
    return bytes
  }
}

// MARK: - Parsing

extension HTTPHead {
  /// Parses a head, with the empty line that ends it.
  ///
  /// It is strict where two programs could interpret lax input differently: lines end with CR LF, a
  /// field does not continue on the next line, and no blank precedes a colon.
  ///
  /// - Parameter fieldCount: how many fields there may be, to allocate once
  init(parsing bytes: [UInt8], fieldCount: Int = 0) throws(HandshakeError) {
    var scan = HeadScan(bytes)
    startLineRange = try scan.takeStartLine()
    var places: [HTTPHeaders.Place] = []
    places.reserveCapacity(fieldCount)
    while let place = try scan.takeField() { places.append(place) }
    length = scan.length
    headers = HTTPHeaders(in: scan.bytes, at: places)
  }

  /// The minor version to process an HTTP/1 message with: 1 for `HTTP/1.1`; nil for other versions.
  ///
  /// RFC 9110, section 2.5: a higher minor version is processed as the highest supported one.
  static func minorVersion(_ version: some Collection<UInt8>) -> Int? {
    let digits = version.dropFirst(7)
    guard version.starts(with: "HTTP/1.".utf8), digits.count == 1, digits.isDecimal else {
      return nil
    }
    return digits.first == UInt8(ascii: "0") ? 0 : 1
  }

  /// The status and the reason phrase of an answer such as `HTTP/1.1 101 Switching Protocols`.
  func status() throws(HandshakeError) -> (Int, reason: String) {
    let parts = startLine.split(
      separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard Self.minorVersion(parts[0]) != nil else { throw .notHTTP }
    guard parts.count > 1, parts[1].count == 3, parts[1].isDecimal,
      let status = Int(String(decoding: parts[1], as: UTF8.self)), status >= 100
    else {
      throw .malformedHead("the status is not a number of three digits")
    }
    return (status, parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : "")
  }
}

/// Finds the parts of a head, in one pass over its bytes.
private struct HeadScan {
  /// The head, and behind it the texts that are not UTF-8 there.
  private(set) var bytes: [UInt8]
  let length: Int
  /// The start of the next line.
  private var position = 0

  init(_ head: [UInt8]) {
    bytes = head
    length = bytes.count
  }

  mutating func takeStartLine() throws(HandshakeError) -> Range<Int> {
    let line = try takeLine()
    guard bytes[line].allSatisfy({ $0 >= 0x20 }) else {
      throw .malformedHead("the first line is not text")
    }
    return text(line)
  }

  /// The next field; nil at the empty line.
  mutating func takeField() throws(HandshakeError) -> HTTPHeaders.Place? {
    let line = try takeLine()
    if line.isEmpty, position == length { return nil }
    guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")) else {
      throw .malformedHead("a header has no colon")
    }
    let name = line.lowerBound..<colon
    let value = bytes[(colon + 1)..<line.upperBound].trimmingBlanks
    guard bytes[name].isHTTPToken, value.isHTTPFieldValue else {
      throw .malformedHead("a header is not well-formed")
    }
    return HTTPHeaders.Place(name: name, value: text(value.startIndex..<value.endIndex))
  }

  private mutating func takeLine() throws(HandshakeError) -> Range<Int> {
    let start = position
    let end = bytes.withUnsafeBytes { $0.lineFeed(from: start) } ?? bytes.count
    guard end > start, end < length, bytes[end - 1] == 0x0D else { throw .lineEnd }
    position = end + 1
    return start..<end - 1
  }

  /// Where a text is in UTF-8.
  ///
  /// Most are ASCII, as the RFC demands. Others are UTF-8 in practice, or Latin-1 from old servers,
  /// which is converted.
  private mutating func text(_ range: Range<Int>) -> Range<Int> {
    let bytes = bytes[range]
    if bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil {
      return range
    }
    // A byte of Latin-1 is the number of its Unicode scalar.
    let start = self.bytes.count
    self.bytes += String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8
    return start..<self.bytes.count
  }
}

extension HandshakeError {
  static let lineEnd = malformedHead("a line does not end with CR LF")
}
