#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a session reports, in the order in which it happens.
enum SessionEvent {
  case state(WebSocketState)
  case connected
  // Indirect, which keeps the value small: messages outnumber all others by far.
  indirect case frame(Frame)
  case message(WebSocketMessage)
  case pong(Data)
  indirect case failed(WebSocketError)
  indirect case ended(CloseOutcome)
  /// A question that the program has to answer.
  indirect case asked(ServerQuestion)
  /// A line for the log, which no stream emits.
  indirect case log(WebSocketLog.Level, String)
}

extension SessionEvent {
  /// Whether the event is a frame or a message.
  var isFrameOrMessage: Bool {
    switch self {
    case .frame, .message: true
    default: false
    }
  }

  /// Whether the event is a frame of a message.
  var isDataFrame: Bool {
    if case .frame(let frame) = self { !frame.opcode.isControl } else { false }
  }
}

/// The error, code and reason with which a WebSocket ends.
struct CloseOutcome {
  var error: WebSocketError?
  var code = CloseCode.abnormal
  var reason = ""
}
