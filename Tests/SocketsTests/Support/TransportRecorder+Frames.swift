import Testing
import TestSupport

@testable import Sockets

extension TransportRecorder {
  /// Accepts the received request, and sends `bytes` after the response.
  func answerHandshake(headers: String = "", then bytes: [UInt8] = []) throws {
    let request = text
    let line = try #require(request.firstMatch(of: /Sec-WebSocket-Key: (\S+)\r\n/))
    let key = try #require(HandshakeKey(text: Array(line.1.utf8)[...]))
    let answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(String(decoding: key.accept, as: UTF8.self))\r\n\(headers)\r\n"
    log.update { $0.received = [] }
    send(Array(answer.utf8) + bytes)
  }

  /// The received bytes as text.
  var text: String { String(decoding: log.value.received, as: UTF8.self) }

  /// Waits for exactly these bytes.
  func waitToReceive(_ bytes: [UInt8]) async { await log.wait { $0.received == bytes } }

  /// The received frames, unmasked: first byte and payload.
  var frames: [(first: UInt8, payload: [UInt8])] { Self.frames(in: log.value.received) }

  static func frames(in bytes: [UInt8]) -> [(first: UInt8, payload: [UInt8])] {
    var rest = bytes[...]
    var frames: [(first: UInt8, payload: [UInt8])] = []
    // Tests use short frames only.
    while rest.count >= 2, let first = rest.popFirst(), let second = rest.popFirst() {
      let length = Int(second & 0x7F)
      let key = second & 0x80 == 0 ? [0, 0, 0, 0] : Array(rest.prefix(4))
      if second & 0x80 != 0 { rest = rest.dropFirst(4) }
      guard rest.count >= length else { break }
      frames.append((first, rest.prefix(length).enumerated().map { $1 ^ key[$0 % 4] }))
      rest = rest.dropFirst(length)
    }
    return frames
  }

  /// Waits for a close frame, and returns its code.
  func closeCode() async -> CloseCode? {
    await log.wait { Self.frames(in: $0.received).contains { $0.first == 0x88 } }
    return frames.last { $0.first == 0x88 }.map {
      $0.payload.count < 2
        ? .noStatus : CloseCode(rawValue: UInt16($0.payload[0]) << 8 | UInt16($0.payload[1]))
    }
  }
}
