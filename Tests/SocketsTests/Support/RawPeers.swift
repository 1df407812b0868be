import Foundation
import Reactive
import Testing
import TestSupport

@testable import Sockets

/// A TCP server whose bytes the test writes by hand.
final class RawServer: Sendable {
  private let listener: TCPListener
  private let accepted = Watched<[Recorder]>([])

  init() throws {
    listener = try TCPListener()
    listener.start { [accepted] transport in
      let peer = Recorder(transport)
      transport.start(peer)
      accepted.update { $0.append(peer) }
    }
  }

  deinit { listener.close() }

  var url: String { "ws://127.0.0.1:\(listener.port)/" }

  /// The connection of this number, opened.
  func peer(_ index: Int = 0) async -> Recorder {
    await accepted.wait { $0.count > index }
    let peer = accepted.value[index]
    await peer.log.wait { $0.opened == 1 || $0.isClosed }
    return peer
  }

  /// The connection of this number, its request read.
  func asked(_ index: Int = 0) async -> Recorder {
    let peer = await peer(index)
    await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
    return peer
  }

  /// Makes the handshake on the connection of this number, and sends `bytes` in the same segment.
  func shaken(
    _ index: Int = 0,
    headers: String = "",
    then bytes: [UInt8] = []
  ) async throws -> Recorder {
    let peer = await asked(index)
    try peer.answerHandshake(headers: headers, then: bytes)
    return peer
  }
}

/// A TCP client whose bytes the test writes by hand.
enum RawClient {
  static let request =
    "GET /chat?room=1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

  static func connected(to server: WebSocketServer) async -> Recorder {
    let peer = Recorder(TCPTransport(host: "127.0.0.1", port: server.port))
    await peer.start()
    return peer
  }

  /// Connected, the handshake made; `bytes` went in the same segment as the request.
  static func shaken(with server: WebSocketServer, then bytes: [UInt8] = []) async -> Recorder {
    let peer = await connected(to: server)
    peer.send(Array(request.utf8) + bytes)
    await peer.log.wait { log in
      guard let end = log.received.firstRange(of: Array("\r\n\r\n".utf8)) else {
        return log.isClosed
      }
      return end.upperBound > 0
    }
    peer.log.update { log in
      if let end = log.received.firstRange(of: Array("\r\n\r\n".utf8)) {
        log.received.removeFirst(end.upperBound)
      }
    }
    return peer
  }
}

extension Recorder {
  /// Agrees to the request that it has received, and sends `bytes` behind the answer.
  func answerHandshake(headers: String = "", then bytes: [UInt8] = []) throws {
    let request = text
    let line = try #require(request.firstMatch(of: /Sec-WebSocket-Key: (\S+)\r\n/))
    let key = try #require(HandshakeKey(value: String(line.1)))
    let answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(key.accept)\r\n\(headers)\r\n"
    log.update { $0.received = [] }
    send(Array(answer.utf8) + bytes)
  }

  /// What was received, as text.
  var text: String { String(decoding: log.value.received, as: UTF8.self) }

  /// Waits for exactly these bytes.
  func waitToReceive(_ bytes: [UInt8]) async { await log.wait { $0.received == bytes } }

  /// The frames received so far, unmasked: first byte and payload.
  var frames: [(first: UInt8, payload: [UInt8])] { Self.frames(in: log.value.received) }

  static func frames(in bytes: [UInt8]) -> [(first: UInt8, payload: [UInt8])] {
    var rest = bytes[...]
    var frames: [(first: UInt8, payload: [UInt8])] = []
    // Short frames are all that tests look at.
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

extension Sequence where Element: Equatable {
  func ends(with end: some Collection<Element>) -> Bool {
    suffix(end.count).elementsEqual(end)
  }
}
