#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a WebSocket has to tell, in the order it happens.
enum SessionEvent {
  case state(WebSocketState)
  case connected
  case frame(Frame)
  case message(WebSocketMessage)
  case pong(Data)
  // Apart from the event, which come one by one with every message.
  indirect case failed(WebSocketError)
  indirect case ended(CloseOutcome)
  /// The program is to be asked.
  case asked(ServerQuestion)
  /// For nobody but the log.
  indirect case log(WebSocketLog.Level, String)
}

extension SessionEvent {
  /// Whether it is a frame, or a message.
  var isFrameOrMessage: Bool {
    switch self {
    case .frame, .message: true
    default: false
    }
  }

  /// Whether it is a frame of a message.
  var isDataFrame: Bool {
    if case .frame(let frame) = self { !frame.opcode.isControl } else { false }
  }
}

/// How a WebSocket ends.
struct CloseOutcome {
  var error: WebSocketError?
  var code = CloseCode.abnormal
  var reason = ""
}
