#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The compression parameters of the handshake, as one side sees them (RFC 7692, section 7.1).
package struct MessageDeflate: Equatable, Sendable {
  /// One direction: the size of the window, and whether it is kept between messages.
  struct Window: Equatable, Sendable {
    var bits: Int
    var isKept: Bool
  }

  /// Messages of fewer bytes are sent uncompressed.
  var threshold: Int
  var sending: Window
  var receiving: Window

  /// Whether zlib was found: without it neither side offers or accepts compression.
  static var isAvailable: Bool { Zlib.shared != nil }
}

/// Compresses the messages that one side sends.
///
/// The state of zlib is made when a message needs it. It is freed after each message when the next
/// one may not refer to it. A copy shares the state: the lock that protects the connection protects
/// the state too.
struct MessageDeflater: Sendable {
  private let threshold: Int
  private let window: MessageDeflate.Window
  private var deflater: Deflater?

  init(_ deflate: MessageDeflate) {
    self.init(threshold: deflate.threshold, window: deflate.sending)
  }

  init(threshold: Int, window: MessageDeflate.Window) {
    self.threshold = threshold
    self.window = window
  }

  /// The compressed form of a message for many receivers; nil when it is sent uncompressed.
  func prepared(_ message: PreparedMessage) -> Data? {
    message.compressed(for: window, threshold: threshold)
  }

  /// Drops the window: the next message refers to nothing before it.
  mutating func forget() { deflater = nil }

  /// Whether a message of `count` bytes is sent compressed (6).
  func compresses(_ count: Int) -> Bool {
    // An empty message would grow. zlib cannot compress with a window of 8 bits.
    count >= max(threshold, 1) && window.bits >= 9 && Zlib.shared != nil
  }

  /// Passes the compressed form of a message to `body`, valid inside it only.
  ///
  /// Returns false, without calling `body`, when the message is to be sent uncompressed.
  mutating func deflate(
    _ message: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    guard compresses(message.count) else { return false }
    deflate(piece: message, isLast: true, body)
    return true
  }

  /// Passes the compressed form of a message's next piece to `body`, valid inside it only.
  ///
  /// The pieces of one message follow each other, with no other message between them.
  mutating func deflate(
    piece: UnsafeRawBufferPointer,
    isLast: Bool,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    guard let zlib = Zlib.shared else {
      preconditionFailure("A message is compressed without zlib.")
    }
    let deflater = self.deflater ?? Deflater(zlib, windowBits: window.bits)
    deflater.deflate(piece, isLast: isLast, body)
    self.deflater = window.isKept || !isLast ? deflater : nil
  }
}

/// Inflates the messages that one side receives.
///
/// The state of zlib is made on first use, and freed after each message unless the window is kept.
struct MessageInflater: Sendable {
  /// Receives the inflated bytes, in pieces of at most 16 KiB.
  typealias Take = (UnsafeRawBufferPointer) throws(ProtocolError) -> Void

  private let window: MessageDeflate.Window
  private var inflater: Inflater?

  init(_ deflate: MessageDeflate) { window = deflate.receiving }

  /// Inflates the next bytes of a message.
  ///
  /// An error that `take` throws stops inflating at once: no byte beyond the limit is produced.
  ///
  /// - Parameter limit: inflated bytes after which it stops; the last piece may exceed it by 16 KiB
  /// - Returns: The number of bytes used; pass the others again.
  @discardableResult
  mutating func inflate(
    _ bytes: UnsafeRawBufferPointer,
    upTo limit: Int = .max,
    _ take: Take
  ) throws(ProtocolError) -> Int {
    try prepared()?.inflate(bytes, upTo: limit, take) ?? bytes.count
  }

  /// Ends the message and passes its last inflated bytes to `take`.
  mutating func finish(_ take: Take) throws(ProtocolError) {
    try prepared()?.finish(take)
    if !window.isKept { inflater = nil }
  }

  private mutating func prepared() -> Inflater? {
    guard inflater == nil, let zlib = Zlib.shared else { return inflater }
    // Compressors that are set to 8 bits use 9 (zlib's manual, deflateInit2).
    let inflater = Inflater(zlib, windowBits: max(window.bits, 9))
    self.inflater = inflater
    return inflater
  }
}
