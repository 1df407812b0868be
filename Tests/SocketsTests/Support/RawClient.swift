import Foundation
import TestSupport

@testable import Sockets

/// A TCP client whose bytes the test writes.
enum RawClient {
  static let request =
    "GET /chat?room=1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

  static func connected(to server: WebSocketServer) async -> TransportRecorder {
    let peer = TransportRecorder(TCPTransport(host: "127.0.0.1", port: server.port))
    await peer.start()
    return peer
  }

  /// A client after its handshake; `bytes` are sent in the same segment as the request.
  static func upgraded(by server: WebSocketServer, then bytes: [UInt8] = []) async
    -> TransportRecorder
  {
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
