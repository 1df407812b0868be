/// How messages are compressed: permessage-deflate (RFC 7692).
///
/// ```swift
/// configuration.compression = .deflate()
/// ```
///
/// A client offers it, a server agrees to it; each message is sent compressed from then on, unless it
/// is shorter than the threshold. When the other side does not want it, or this machine has no zlib,
/// messages go as they are: ``WebSocket/extensions`` tells what was agreed upon.
///
/// Compression costs time, about 30 microseconds for each KiB sent and 2 for each KiB received, and
/// memory. Do not compress secrets together with what an attacker chooses: the length of the
/// result tells how much both have in common.
public struct WebSocketCompression: Hashable, Sendable {
  /// Messages of fewer bytes are sent as they are.
  public var threshold: Int

  /// How far back a repetition may lie, as a power of two in bytes: 9 for 512 bytes to 15 for 32 KiB;
  /// what lies outside of these is taken as the nearer one.
  ///
  /// More finds more, and takes more memory. Sending takes 2^(bits + 3) bytes, receiving 2^bits
  /// and 10 KiB. The other side is asked to use no more, but may.
  public var windowBits: Int {
    didSet { windowBits = Self.permissible(windowBits) }
  }

  /// Whether a message may repeat what was in the messages before it.
  ///
  /// It makes small messages that resemble one another much smaller. Without it no memory is taken
  /// between two messages, and the other side is asked to do without it too.
  public var keepsContext: Bool

  /// The compression of RFC 7692.
  ///
  /// - Parameters:
  ///   - threshold: in bytes; 256 by default, below which little is gained.
  ///   - windowBits: 12 by default: 32 KiB for sending, 14 for receiving.
  ///   - keepsContext: true by default.
  public static func deflate(
    threshold: Int = 256,
    windowBits: Int = 12,
    keepsContext: Bool = true
  ) -> WebSocketCompression {
    WebSocketCompression(
      threshold: threshold,
      windowBits: permissible(windowBits),
      keepsContext: keepsContext
    )
  }

  /// zlib cannot compress with a window of 8 bits, which the RFC allows too.
  private static func permissible(_ windowBits: Int) -> Int { min(max(windowBits, 9), 15) }
}
