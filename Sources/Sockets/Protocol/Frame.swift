#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One frame as it travelled, unmasked: a message is one frame or several (RFC 6455, section 5.2).
public struct Frame: Hashable, Sendable {
  /// Whether it is the last frame of its message.
  ///
  /// Always true for a control frame.
  public var isFinal: Bool
  /// Whether the message that begins with this frame is compressed (RSV1; RFC 7692, section 6).
  ///
  /// Its payload, and those of the continuations, are then as they travelled.
  public var isCompressed: Bool
  /// What the frame is for.
  public var opcode: Opcode
  /// The bytes it carries.
  ///
  /// Those of one text frame may end inside a character.
  public var payload: Data

  /// A frame of these parts.
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

  /// A whole text message.
  public static func text(_ text: String) -> Frame {
    Frame(opcode: .text, payload: Data(text.utf8))
  }

  /// A whole binary message.
  public static func binary(_ data: Data) -> Frame { Frame(opcode: .binary, payload: data) }

  /// A ping.
  ///
  /// Its payload is at most 125 bytes.
  public static func ping(_ payload: Data = Data()) -> Frame {
    Frame(opcode: .ping, payload: payload)
  }

  /// A pong.
  ///
  /// Its payload is at most 125 bytes.
  public static func pong(_ payload: Data = Data()) -> Frame {
    Frame(opcode: .pong, payload: payload)
  }

  /// A close frame: without a code its payload is empty, and the reason is left out.
  public static func close(_ code: CloseCode = .noStatus, reason: String = "") -> Frame {
    Frame(opcode: .close, payload: Data(ClosePayload(code: code, reason: reason).bytes))
  }
}
