#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a connection tells about the bytes it was given, in the order of the wire.
package enum ConnectionEvent: Hashable, Sendable {
  /// A frame came. Only while `wantsFrames` is set; it precedes what the frame brings about.
  case frame(Frame)
  /// A message is complete.
  case message(WebSocketMessage)
  /// A ping came. The pong is in the output already.
  case ping(Data)
  /// A pong came, asked for or not.
  case pong(Data)
  /// The peer will send nothing more: it sent its close frame, or its bytes ended without one
  /// (`.abnormal`). The answer that is due is in the output already.
  case peerClosed(code: CloseCode, reason: String)
  /// The peer broke the protocol. The close frame that says so is in the output already.
  case failed(ProtocolError)
}

/// Why something cannot be sent.
package enum SendError: Error, Hashable, Sendable {
  /// A close frame was sent before, or the connection has ended (5.5.1). Connect again to send.
  case notOpen
  /// The code may not stand in a close frame (7.4). Use one whose `isSendable` is true.
  case closeCodeNotSendable(CloseCode)
  /// A ping or pong carries at most 125 bytes (5.5). Send fewer.
  case controlPayloadTooLong(length: Int)
}

extension SendError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notOpen: "the connection is closing or closed"
    case .closeCodeNotSendable(let code): "close code \(code) may not be sent"
    case .controlPayloadTooLong(let length):
      "a ping or pong of \(length) bytes was to be sent; at most 125 are allowed"
    }
  }
}
