/// The first part of an HTTP/1.1 message: a line and header fields (RFC 9112, section 2.1).
struct HTTPHead: Equatable {
  var startLine: String
  var headers: HTTPHeaders

  /// Reads a head, without the empty line that ends it.
  ///
  /// Strict where laxness lets two programs read the same bytes differently: lines end with CR LF,
  /// a field does not continue on the next line, no blank precedes a colon.
  init(parsing bytes: some BidirectionalCollection<UInt8>) throws(HandshakeError) {
    var lines: [String] = []
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard line.last == 0x0D else { throw .malformedHead("a line does not end with CR LF") }
      lines.append(Self.text(line.dropLast()))
    }
    startLine = lines.removeFirst()
    guard startLine.utf8.allSatisfy({ $0 >= 0x20 }) else {
      throw .malformedHead("the first line is not text")
    }
    headers = HTTPHeaders()
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else {
        throw .malformedHead("a header has no colon")
      }
      let value = line[line.index(after: colon)...].trimmingBlanks
      let field = HTTPHeaders.Field(name: String(line[..<colon]), value: String(value))
      guard field.isWellFormed else { throw .malformedHead("a header is not well-formed") }
      headers.add(field.name, field.value)
    }
  }

  /// Headers are ASCII by the book; what else occurs is UTF-8 or the Latin-1 of old servers.
  private static func text(_ line: some BidirectionalCollection<UInt8>) -> String {
    if let text = String(validating: line, as: UTF8.self) { return text }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: line.map { Unicode.Scalar($0) })
    return String(text)
  }

  /// The bytes of the head, with the empty line that ends it.
  var bytes: [UInt8] {
    let lines = [startLine] + headers.fields.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  init(startLine: String, headers: HTTPHeaders) {
    self.startLine = startLine
    self.headers = headers
  }
}

extension HTTPHead {
  /// The status and the reason of an answer, in a line like `HTTP/1.1 101 Switching Protocols`.
  func status() throws(HandshakeError) -> (Int, reason: String) {
    let parts = startLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard ["HTTP/1.1", "HTTP/1.0"].contains(parts[0]) else { throw .notHTTP }
    guard parts.count > 1, parts[1].utf8.count == 3, let status = Int(parts[1]), status >= 100
    else {
      throw .malformedHead("the status is not a number of three digits")
    }
    return (status, parts.count > 2 ? String(parts[2]) : "")
  }
}

/// Gathers a head from bytes that may be split anywhere.
struct HTTPHeadReader {
  /// How long a head may be, in bytes.
  static let limit = 16 * 1024

  private static let end = Array("\r\n\r\n".utf8)
  /// RFC 8446, section 5.1: what a record of TLS begins with, an alert or a part of a handshake.
  private static let recordKinds: [UInt8] = [0x15, 0x16]
  private let expected: [UInt8]
  private let skipsEmptyLines: Bool
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - prefix: How the head has to begin. Something else is refused with its first wrong
  ///     byte: a server of another kind may never send an end of a head.
  ///   - skipsEmptyLines: Whether empty lines may come before the head, as some clients send them behind
  ///     a body (RFC 9112, section 2.2).
  init(expecting prefix: String = "", skipsEmptyLines: Bool = false) {
    expected = Array(prefix.utf8)
    self.skipsEmptyLines = skipsEmptyLines
  }

  /// Whether nothing of a head has come.
  var isEmpty: Bool { bytes.isEmpty }

  /// Takes the head off the front of `input`; nil when all was taken and the head is not complete.
  mutating func receive(_ input: inout UnsafeRawBufferPointer) throws(HandshakeError) -> HTTPHead? {
    while let byte = input.first {
      _ = input.removePrefix(1)
      if try beginsRecord(byte) { continue }
      guard bytes.count >= expected.count || byte == expected[bytes.count] else { throw .notHTTP }
      // TLS, which a server without an identity is sent by mistake, has no end of a head either.
      guard !bytes.isEmpty || byte != 0x16 else { throw .notHTTP }
      bytes.append(byte)
      if skipsEmptyLines, bytes.elementsEqual([0x0D, 0x0A]) { bytes = [] }
      if byte == 0x0A, bytes.suffix(Self.end.count).elementsEqual(Self.end) {
        return try HTTPHead(parsing: bytes.dropLast(3))
      }
      guard bytes.count < Self.limit else { throw .headTooLong(limit: Self.limit) }
    }
    return nil
  }

  /// Returns whether the byte is the first of what may be a record of TLS, where the head of an answer is
  /// expected: the next byte decides.
  private mutating func beginsRecord(_ byte: UInt8) throws(HandshakeError) -> Bool {
    if let kind = bytes.first {
      guard bytes.count == 1, Self.recordKinds.contains(kind) else { return false }
      // RFC 8446, section 5.1: every version of TLS has a 3 there.
      throw byte == 3 ? .speaksTLS : .notHTTP
    }
    guard !expected.isEmpty, Self.recordKinds.contains(byte) else { return false }
    bytes.append(byte)
    return true
  }
}
