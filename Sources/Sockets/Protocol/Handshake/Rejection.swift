#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server's rejection, with its body as far as it is kept (RFC 9112, section 6.3).
struct Rejection {
  /// The most bytes of a body that are kept.
  private static let bodyLimit = 64 * 1024

  /// What ends the body.
  private enum Framing {
    case length(Int)
    case chunks(ChunkedBody)
    /// The body ends with the connection.
    case connection
  }

  private let status: Int
  private let reason: String
  private let headers: HTTPHeaders
  private var framing: Framing
  private var body = Data()

  init(status: Int, reason: String, headers: HTTPHeaders) {
    self.status = status
    self.reason = reason
    self.headers = headers
    if status < 200 || status == 204 || status == 304 {
      framing = .length(0)
    } else if headers.lists("chunked", in: "Transfer-Encoding") {
      framing = .chunks(ChunkedBody())
    } else if let length = headers["Content-Length"].flatMap({ Int($0) }) {
      framing = .length(max(length, 0))
    } else {
      framing = .connection
    }
  }

  /// Whether the kept part of the body has arrived.
  var isComplete: Bool {
    if body.count >= Self.bodyLimit { return true }
    return switch framing {
    case .length(let length): body.count >= length
    case .chunks(let chunks): chunks.isComplete
    case .connection: false
    }
  }

  mutating func receive(_ input: inout UnsafeRawBufferPointer) {
    let room = Self.bodyLimit - body.count
    switch framing {
    case .length(let length):
      let count = min(input.count, room, length - body.count)
      body.append(contentsOf: input.removePrefix(count))
    case .connection: body.append(contentsOf: input.removePrefix(min(input.count, room)))
    case .chunks(var chunks):
      while let part = chunks.next(from: &input) { body.append(contentsOf: part) }
      body = body.prefix(Self.bodyLimit)
      framing = .chunks(chunks)
    }
  }

  var error: HandshakeError {
    .rejected(status: status, reason: reason, headers: headers, body: body)
  }
}

/// A chunked body (RFC 9112, section 7.1): a line with a hexadecimal length before each chunk.
///
/// A chunk of length zero ends the body. It is only used for the body of a rejection, so malformed
/// input simply ends the body.
struct ChunkedBody {
  private enum Phase {
    case length(digits: [UInt8])
    case chunk(rest: Int)
    /// The line break after a chunk.
    case lineBreak
    case complete
  }

  private var phase = Phase.length(digits: [])

  var isComplete: Bool {
    if case .complete = phase { true } else { false }
  }

  /// Takes the next part of the body off the front of `input`; nil when more is needed, or at the
  /// end.
  mutating func next(from input: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    while !input.isEmpty {
      switch phase {
      case .chunk(let rest):
        let part = input.removePrefix(min(rest, input.count))
        phase = part.count == rest ? .lineBreak : .chunk(rest: rest - part.count)
        return part
      case .lineBreak:
        if input.removePrefix(1)[0] == 0x0A { phase = .length(digits: []) }
      case .length(let digits): readLength(digits, input.removePrefix(1)[0])
      case .complete: return nil
      }
    }
    return nil
  }

  private mutating func readLength(_ digits: [UInt8], _ byte: UInt8) {
    guard byte == 0x0A else {
      // A longer line is malformed, and ends the body.
      phase = digits.count < 64 ? .length(digits: digits + [byte]) : .complete
      return
    }
    // The extensions after a semicolon do not change the length.
    let number = digits.prefix { $0 != UInt8(ascii: ";") && $0 != 0x0D && $0 != 0x20 }
    let length = Int(String(decoding: number, as: UTF8.self), radix: 16) ?? 0
    phase = length > 0 ? .chunk(rest: length) : .complete
  }
}
