#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Assembles a head from bytes that may be split anywhere.
struct HTTPHeadReader {
  /// The longest head, in bytes.
  static let limit = 16 * 1024
  /// The most fields.
  static let fieldLimit = 100
  /// The most empty lines before the head.
  static let emptyLineLimit = 8

  /// The first byte of a TLS record: an alert or a handshake (RFC 8446, section 5.1).
  private static let recordKinds: [UInt8] = [0x15, 0x16]
  private let expected: [UInt8]
  private let skipsEmptyLines: Bool
  private var bytes: [UInt8] = []
  private var emptyLineCount = 0
  /// How many lines are complete, and the length of the incomplete one.
  private var lineCount = 0
  private var lineLength = 0

  /// - Parameters:
  ///   - prefix: text that the head has to begin with. The first wrong byte is refused at once: a
  ///     server of another kind may never send the end of a head.
  ///   - skipsEmptyLines: whether a few empty lines may precede the head, as some clients send them
  ///     after a body (RFC 9112, section 2.2)
  init(expecting prefix: String = "", skipsEmptyLines: Bool = false) {
    expected = Array(prefix.utf8)
    self.skipsEmptyLines = skipsEmptyLines
  }

  /// Whether no byte of a head has arrived.
  var isEmpty: Bool { bytes.isEmpty }

  /// Whether the bytes that have arrived begin with `text`.
  func begins(with text: String) -> Bool { bytes.starts(with: text.utf8) }

  /// Takes the head off the front of `input`; nil when it is incomplete.
  mutating func receive(_ input: inout UnsafeRawBufferPointer) throws(HandshakeError) -> HTTPHead? {
    // Two bytes are enough to recognize a TLS record or an empty line.
    while bytes.count < max(expected.count, 2), let byte = input.first {
      // The whole head is usually there.
      if bytes.isEmpty { bytes.reserveCapacity(min(input.count, Self.limit)) }
      _ = input.removePrefix(1)
      try begin(with: byte)
    }
    let part = UnsafeRawBufferPointer(rebasing: input.prefix(Self.limit - bytes.count))
    let length: Int?
    do throws(HandshakeError) {
      length = try lengthToEnd(in: part)
    } catch {
      // The refusal depends on the first bytes: `HEAD` gets no body.
      bytes += part
      throw error
    }
    bytes += input.removePrefix(length ?? part.count)
    if length != nil { return try HTTPHead(parsing: bytes, fieldCount: lineCount - 1) }
    guard bytes.count < Self.limit else { throw .headTooLong(limit: Self.limit) }
    return nil
  }

  /// How many of these bytes belong to the head; nil when they do not end it.
  private mutating func lengthToEnd(
    in part: UnsafeRawBufferPointer
  ) throws(HandshakeError) -> Int? {
    var start = 0
    while let end = part.lineFeed(from: start) {
      guard (end > 0 ? part[end - 1] : bytes.last) == 0x0D else { throw .lineEnd }
      let isEmpty = lineLength + end - start == 1
      start = end + 1
      if isEmpty, lineCount > 0 { return start }
      lineLength = 0
      lineCount += 1
      // The start line is not a field.
      guard lineCount <= Self.fieldLimit + 1 else { throw .tooManyFields(limit: Self.fieldLimit) }
    }
    lineLength += part.count - start
    return nil
  }

  /// Checks and takes one of the first bytes; a wrong one is refused at once.
  private mutating func begin(with byte: UInt8) throws(HandshakeError) {
    if bytes.count == 1, Self.recordKinds.contains(bytes[0]) {
      // RFC 8446, section 5.1: this byte is 3 in every version of TLS.
      throw byte == 3 ? .speaksTLS : .notHTTP
    }
    if expected.isEmpty {
      // TLS that is sent to a server without an identity does not contain the end of a head.
      guard !bytes.isEmpty || byte != 0x16 else { throw .notHTTP }
    } else {
      // The byte after it decides whether a TLS record stands in place of an answer.
      let mayBeRecord = bytes.isEmpty && Self.recordKinds.contains(byte)
      guard mayBeRecord || byte == expected[bytes.count] else { throw .notHTTP }
    }
    bytes.append(byte)
    lineLength = bytes.count
    guard byte == 0x0A else { return }
    guard skipsEmptyLines, bytes == [0x0D, 0x0A] else { throw .lineEnd }
    emptyLineCount += 1
    guard emptyLineCount <= Self.emptyLineLimit else {
      throw .malformedHead("more than \(Self.emptyLineLimit) empty lines precede it")
    }
    bytes = []
    lineLength = 0
  }
}

extension UnsafeRawBufferPointer {
  /// The index of the first line feed at or after `start`.
  func lineFeed(from start: Int) -> Int? {
    guard start < count, let base = baseAddress,
      let found = memchr(base + start, 0x0A, count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
