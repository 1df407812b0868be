#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One frame of the wire, unmasked: a message is one or several frames (RFC 6455, section 5.2).
public struct Frame: Hashable, Sendable {
  /// Whether the frame is the last one of its message; always true for a control frame.
  public var isFinal: Bool
  /// Whether the message that begins with this frame is compressed (RSV1; RFC 7692, section 6).
  ///
  /// The payloads of this frame and its continuations are then compressed bytes.
  public var isCompressed: Bool
  /// The type of the frame.
  public var opcode: Opcode
  /// The payload; that of one text frame may end inside a character.
  public var payload: Data

  /// Makes a frame of these parts.
  public init(
    isFinal: Bool = true,
    isCompressed: Bool = false,
    opcode: Opcode,
    payload: Data = Data()
  ) {
    self.isFinal = isFinal
    self.isCompressed = isCompressed
    self.opcode = opcode
    self.payload = payload
  }

  /// Makes a frame that is a whole text message.
  public static func text(_ text: String) -> Frame {
    Frame(opcode: .text, payload: Data(text.utf8))
  }

  /// Makes a frame that is a whole binary message.
  public static func binary(_ data: Data) -> Frame { Frame(opcode: .binary, payload: data) }

  /// Makes a ping with a payload of at most 125 bytes.
  public static func ping(_ payload: Data = Data()) -> Frame {
    Frame(opcode: .ping, payload: payload)
  }

  /// Makes a pong with a payload of at most 125 bytes.
  public static func pong(_ payload: Data = Data()) -> Frame {
    Frame(opcode: .pong, payload: payload)
  }

  /// Makes a close frame; with `.noStatus` its payload is empty and the reason is not sent.
  public static func close(_ code: CloseCode = .noStatus, reason: String = "") -> Frame {
    Frame(opcode: .close, payload: Data(ClosePayload(code: code, reason: reason).bytes))
  }
}
