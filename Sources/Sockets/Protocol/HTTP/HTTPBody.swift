#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the body of a request or an answer, up to the byte behind it (RFC 9112, section 6).
///
/// It is strict where two programs could find different messages in the same bytes.
struct HTTPBody {
  private enum Phase {
    /// The number of bytes still missing.
    case counted(Int)
    case chunkSize(ChunkSizeLine)
    case chunk(rest: Int)
    /// The line break after a chunk.
    case chunkEnd(isCarriageReturnRead: Bool)
    case trailers(TrailerFields)
    /// The body ends with the connection.
    case untilEnd
    case complete
  }

  private let limit: Int
  private var phase: Phase
  /// The bytes that have arrived.
  private(set) var data = Data()

  /// Whether the whole body has arrived.
  var isComplete: Bool { if case .complete = phase { true } else { false } }

  /// Whether all data has arrived: behind it there are only fields that are ignored.
  var hasAllData: Bool { if case .trailers = phase { true } else { isComplete } }

  /// Begins the body of an answer, which has no limit (RFC 9112, section 6.3).
  init(ofAnswer status: Int, _ headers: HTTPHeaders) {
    limit = .max
    if status < 200 || status == 204 || status == 304 {
      phase = .complete
    } else if headers.lists("chunked", in: "Transfer-Encoding") {
      phase = .chunkSize(ChunkSizeLine())
    } else if let length = headers["Content-Length"].flatMap({ Int($0) }) {
      phase = length > 0 ? .counted(length) : .complete
    } else {
      phase = .untilEnd
    }
  }

  /// Begins the body that follows this head of a request, of at most `limit` bytes.
  init(of head: HTTPRequestHead, limit: Int) throws(HandshakeRefusal) {
    self.limit = limit
    let codings = head.headers.values(of: "Transfer-Encoding")
    let lengths = head.headers.values(of: "Content-Length")
    if !codings.isEmpty {
      // 6.1: with both fields, or a coding in HTTP/1.0, another program may read a different
      // request.
      guard lengths.isEmpty, head.minorVersion == 1 else {
        throw .badRequest("Transfer-Encoding stands beside Content-Length, or in HTTP/1.0")
      }
      guard codings.count == 1, codings[0].equalsIgnoringCase("chunked") else {
        throw HandshakeRefusal(status: 501, body: "the only transfer coding is chunked\n")
      }
      phase = .chunkSize(ChunkSizeLine())
    } else if let length = lengths.first {
      guard lengths.count == 1, length.utf8.isDecimal, let count = Int(length) else {
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
        let missing = takeData(rest, from: &input)
        phase = missing == 0 ? .complete : .counted(missing)
      case .untilEnd: _ = takeData(input.count, from: &input)
      case .chunk(let rest):
        let missing = takeData(rest, from: &input)
        phase = missing == 0 ? .chunkEnd(isCarriageReturnRead: false) : .chunk(rest: missing)
      case .chunkEnd(let isCarriageReturnRead):
        guard input.removePrefix(1)[0] == (isCarriageReturnRead ? 0x0A : 0x0D) else {
          throw .badRequest("a chunk does not end where it should")
        }
        phase =
          isCarriageReturnRead
          ? .chunkSize(ChunkSizeLine()) : .chunkEnd(isCarriageReturnRead: true)
      case .chunkSize(var line):
        guard let size = try line.receive(input.removePrefix(1)[0]) else {
          phase = .chunkSize(line)
          continue
        }
        guard data.count + size <= limit else { throw Self.tooLarge(limit) }
        phase = size > 0 ? .chunk(rest: size) : .trailers(TrailerFields())
      case .trailers(var fields):
        let isEnd = try fields.receive(input.removePrefix(1)[0])
        phase = isEnd ? .complete : .trailers(fields)
      }
    }
  }

  /// Takes at most `count` bytes of data off the front of `input`; returns how many are missing.
  private mutating func takeData(_ count: Int, from input: inout UnsafeRawBufferPointer) -> Int {
    let part = input.removePrefix(min(count, input.count))
    data.append(contentsOf: part)
    return count - part.count
  }

  private static func tooLarge(_ limit: Int) -> HandshakeRefusal {
    HandshakeRefusal(status: 413, body: "a body has at most \(limit) bytes\n")
  }
}
