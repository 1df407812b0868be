/// The type of a frame (RFC 6455, section 5.2).
///
/// The RFC reserves all other values: a peer that sends one breaks the protocol.
public enum Opcode: UInt8, Codable, Sendable {
  /// The next part of a message that an earlier frame began.
  case continuation = 0x0
  /// A text message, or the first part of one.
  case text = 0x1
  /// A binary message, or the first part of one.
  case binary = 0x2
  /// The last frame that its sender sends.
  case close = 0x8
  /// A request for a pong, which shows that the peer is alive.
  case ping = 0x9
  /// The answer to a ping, or an unsolicited sign of life.
  case pong = 0xA

  /// Whether the frame may stand between the fragments of a message (5.5).
  public var isControl: Bool { rawValue & 0x8 != 0 }
}
