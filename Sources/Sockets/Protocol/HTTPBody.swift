import Foundation

/// Reads the body of a request, to the byte where the next request begins (RFC 9112, section 6).
///
/// Strict where laxness lets two programs see different requests in the same bytes.
struct HTTPBody {
  private enum Phase {
    /// So many bytes are to come.
    case counted(Int)
    case chunkSize(line: [UInt8])
    case chunk(rest: Int)
    /// Of the line break behind a chunk.
    case chunkEnd(isCarriageReturnRead: Bool)
    /// The fields behind the last chunk, which are nobody's.
    case trailers(line: Int, total: Int, last: UInt8)
    case complete
  }

  private let limit: Int
  private var phase: Phase
  /// What has come.
  private(set) var data = Data()

  /// How long the line with a chunk's size may be, and all fields behind the last chunk together.
  private static let lineLimit = 1_024
  private static let trailersLimit = 8 << 10

  /// Whether all has come.
  var isComplete: Bool { if case .complete = phase { true } else { false } }

  /// The body that follows this head, of at most `limit` bytes.
  init(of head: HTTPRequestHead, limit: Int) throws(HandshakeRefusal) {
    self.limit = limit
    let codings = head.headers.elements(of: "Transfer-Encoding")
    let lengths = head.headers.values(of: "Content-Length")
    if head.headers["Transfer-Encoding"] != nil {
      // 6.1: who sends both, or a coding to HTTP/1.0, may have another request in mind than we would read.
      guard lengths.isEmpty, head.minorVersion == 1 else {
        throw .badRequest("Transfer-Encoding stands beside Content-Length, or in HTTP/1.0")
      }
      guard codings.count == 1, codings[0].equalsIgnoringCase("chunked") else {
        throw HandshakeRefusal(
          status: 501, reason: "Not Implemented", body: "the only transfer coding is chunked\n")
      }
      phase = .chunkSize(line: [])
    } else if let length = lengths.first {
      guard lengths.count == 1, let count = Self.decimal(length) else {
        throw .badRequest("Content-Length is not one number")
      }
      guard count <= limit else { throw Self.tooLarge(limit) }
      phase = count == 0 ? .complete : .counted(count)
    } else {
      phase = .complete
    }
  }

  /// Takes bytes of the body off the front of `input`.
  mutating func receive(_ input: inout UnsafeRawBufferPointer) throws(HandshakeRefusal) {
    while !input.isEmpty {
      switch phase {
      case .complete: return
      case .counted(let rest):
        let part = input.removePrefix(min(rest, input.count))
        data.append(contentsOf: part)
        phase = part.count == rest ? .complete : .counted(rest - part.count)
      case .chunk(let rest):
        let part = input.removePrefix(min(rest, input.count))
        data.append(contentsOf: part)
        phase =
          part.count == rest
          ? .chunkEnd(isCarriageReturnRead: false) : .chunk(rest: rest - part.count)
      case .chunkEnd(let isCarriageReturnRead):
        guard input.removePrefix(1)[0] == (isCarriageReturnRead ? 0x0A : 0x0D) else {
          throw .badRequest("a chunk does not end where it should")
        }
        phase = isCarriageReturnRead ? .chunkSize(line: []) : .chunkEnd(isCarriageReturnRead: true)
      case .chunkSize(let line): try readSize(line, input.removePrefix(1)[0])
      case .trailers(let line, let total, let last):
        try readTrailers(line, total, last, input.removePrefix(1)[0])
      }
    }
  }

  private mutating func readSize(_ line: [UInt8], _ byte: UInt8) throws(HandshakeRefusal) {
    guard byte == 0x0A else {
      guard line.count < Self.lineLimit else { throw .badRequest("a chunk's size is too long") }
      phase = .chunkSize(line: line + [byte])
      return
    }
    // 7.1.1: what follows a semicolon can be ignored.
    let digits = line.dropLast().prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
    guard line.last == 0x0D, (1...8).contains(digits.count),
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else {
      throw .badRequest("a chunk's size is not a line of hexadecimal digits")
    }
    guard data.count + size <= limit else { throw Self.tooLarge(limit) }
    phase = size > 0 ? .chunk(rest: size) : .trailers(line: 0, total: 0, last: 0)
  }

  /// - Parameters:
  ///   - line: How many bytes of the line have come.
  ///   - last: The last one of them.
  private mutating func readTrailers(
    _ line: Int, _ total: Int, _ last: UInt8, _ byte: UInt8
  ) throws(HandshakeRefusal) {
    guard total < Self.trailersLimit else {
      throw .badRequest("the fields behind the body are too long")
    }
    guard byte == 0x0A else {
      phase = .trailers(line: line + 1, total: total + 1, last: byte)
      return
    }
    guard last == 0x0D else { throw .badRequest("a line does not end with CR LF") }
    phase = line == 1 ? .complete : .trailers(line: 0, total: total + 1, last: 0)
  }

  private static func decimal(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private static func tooLarge(_ limit: Int) -> HandshakeRefusal {
    HandshakeRefusal(
      status: 413, reason: "Content Too Large", body: "a body has at most \(limit) bytes\n")
  }
}
