#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event in the bytes of the peer, in the order of the wire.
package enum ConnectionEvent: Hashable, Sendable {
  /// A frame arrived. Only while `wantsFrames` is set; the frame's own event follows.
  // Indirect, which keeps the value small: most events are messages.
  indirect case frame(Frame)
  /// A message is complete.
  case message(WebSocketMessage)
  /// A ping arrived. The pong is in the output already.
  case ping(Data)
  /// A pong arrived, solicited or not.
  case pong(Data)
  /// The peer sends nothing more: it sent its close frame, or its bytes ended without one
  /// (`.abnormal`). The close frame that answers it is in the output already.
  indirect case peerClosed(code: CloseCode, reason: String)
  /// The peer broke the protocol. The close frame with the reason is in the output already.
  indirect case failed(ProtocolError)
}

/// The reason why a message or a frame cannot be sent.
package enum SendError: Error, Hashable, Sendable {
  /// A close frame was sent, or the connection has ended (5.5.1). Connect again to send.
  case notOpen
  /// The code may not be in a close frame (7.4). Use one whose `isSendable` is true.
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
