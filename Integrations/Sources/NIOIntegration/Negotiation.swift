/// Finds out by the first bytes of a connection whether they request a WebSocket.
///
/// The server that receives the request parses it by its own rules; this only chooses the server.
struct Negotiation {
  enum Result {
    case undecided
    case webSocket
    case http
  }

  /// The longest head that is searched, in bytes: 16 KiB, the limit of a WebSocket server.
  ///
  /// A longer one is the HTTP server's.
  static let limit = 16 << 10

  /// How many bytes were searched for the end of the head.
  private var searched = 0
  /// How many bytes of empty lines precede the request, which a server ignores (RFC 9112, section 2.2).
  private var skipped = 0
  private var lineLength = 0
  private var endsWithCR = false

  /// Decides by all bytes so far.
  mutating func receive(_ bytes: some RandomAccessCollection<UInt8>) -> Result {
    for byte in bytes.dropFirst(searched) {
      searched += 1
      guard byte == UInt8(ascii: "\n") else {
        lineLength += 1
        endsWithCR = byte == UInt8(ascii: "\r")
        continue
      }
      // Whether such a line is permitted is up to the HTTP server.
      guard endsWithCR else { return .http }
      if lineLength == 1, skipped + 2 < searched {
        let head = bytes.dropFirst(skipped).prefix(searched - skipped - 4)
        guard head.count < Self.limit else { return .http }
        return Self.requestsWebSocket(String(decoding: head, as: UTF8.self)) ? .webSocket : .http
      }
      if lineLength == 1 { skipped = searched }
      (lineLength, endsWithCR) = (0, false)
    }
    return searched < Self.limit ? .undecided : .http
  }

  /// Whether the header `Upgrade` lists `websocket`, in a request with an ordinary request line.
  private static func requestsWebSocket(_ head: String) -> Bool {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    guard lines[0].contains(" HTTP/1.") else { return false }
    return lines.dropFirst().contains { line in
      let field = line.split(separator: ":", maxSplits: 1)
      guard field.count == 2, field[0].lowercased() == "upgrade" else { return false }
      return field[1].split(separator: ",").contains {
        $0.trimmingWhitespace.lowercased() == "websocket"
      }
    }
  }
}

extension Substring {
  fileprivate var trimmingWhitespace: Substring {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    let start = drop(while: isSpace)
    return start[..<(start.lastIndex { !isSpace($0) }.map(start.index(after:)) ?? start.startIndex)]
  }
}
