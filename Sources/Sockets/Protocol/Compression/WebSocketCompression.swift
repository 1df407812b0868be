/// The compression of messages: permessage-deflate (RFC 7692).
///
/// ```swift
/// configuration.compression = .deflate()
/// ```
///
/// A client offers it, and a server accepts it. Then each message is sent compressed unless it is
/// shorter than the threshold. If the other side declines, or this machine has no zlib, messages
/// are sent uncompressed. ``WebSocket/extensions`` reports what was agreed upon.
///
/// Compression costs memory, and time: about 30 microseconds for each KiB sent and 2 for each KiB
/// received. Do not compress secrets together with text that an attacker chooses: the length of
/// the result reveals how much the two have in common.
public struct WebSocketCompression: Hashable, Sendable {
  /// Messages of fewer bytes are sent uncompressed.
  public var threshold: Int

  /// The size of the window as a power of two: 9 (512 bytes) to 15 (32 KiB); other values are
  /// clamped.
  ///
  /// A repetition is found only inside the window. A larger one finds more and needs more memory:
  /// 2^(bits + 3) bytes for sending, 2^bits and 10 KiB for receiving. The other side is asked to
  /// use no more, but may.
  public var windowBits: Int {
    didSet { windowBits = Self.permissible(windowBits) }
  }

  /// Whether a message may refer to the messages before it.
  ///
  /// This makes small, similar messages much smaller. Without it no memory is used between two
  /// messages, and the other side is asked to do without it too.
  public var keepsContext: Bool

  /// Compresses with permessage-deflate.
  ///
  /// - Parameters:
  ///   - threshold: shortest message that is compressed, in bytes: 256, below which little is
  ///     gained
  ///   - windowBits: size of the window as a power of two: 12, which takes 32 KiB for sending and
  ///     14 KiB for receiving
  ///   - keepsContext: whether a message may refer to earlier ones: true
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

  /// Clamps to 9...15: the RFC also allows 8 bits, with which zlib cannot compress.
  private static func permissible(_ windowBits: Int) -> Int { min(max(windowBits, 9), 15) }
}
