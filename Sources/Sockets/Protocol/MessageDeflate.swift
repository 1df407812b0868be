#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What both sides agreed upon about compression, as one of them sees it (RFC 7692, section 7.1).
package struct MessageDeflate: Equatable, Sendable {
  /// One direction: how far back a repetition may lie, and whether into the messages before.
  struct Window: Equatable, Sendable {
    var bits: Int
    var isKept: Bool
  }

  /// Messages of fewer bytes are sent as they are.
  var threshold: Int
  var sending: Window
  var receiving: Window

  /// Whether there is a zlib: without it nobody offers or agrees to any of this.
  static var isAvailable: Bool { Zlib.shared != nil }
}

/// Compresses what one side sends.
///
/// The state of zlib is made when a message needs it, and freed after each message when nothing of it
/// may be used for the next. A copy shares it: what protects the connection protects it.
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

  /// The form of a message that goes to many; nil when it is to be sent as it is.
  func prepared(_ message: PreparedMessage) -> Data? {
    message.compressed(for: window, threshold: threshold)
  }

  /// What is compressed from here on refers to nothing before.
  mutating func forget() { deflater = nil }

  /// Whether a message of so many bytes is compressed, and not sent as it is (6).
  func compresses(_ count: Int) -> Bool {
    // An empty message would grow. With a window of 8 bits zlib cannot compress.
    count >= max(threshold, 1) && window.bits >= 9 && Zlib.shared != nil
  }

  /// Shows the compressed form of a message, valid inside of `body`; false when the message is to be
  /// sent as it is.
  mutating func deflate(
    _ message: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    guard compresses(message.count) else { return false }
    deflate(piece: message, isLast: true, body)
    return true
  }

  /// Shows what the next piece of a message that is compressed comes to, valid inside of `body`.
  ///
  /// The pieces of a message follow each other, with no other message between them.
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

/// Inflates what one side receives.
///
/// The state of zlib comes and goes as the deflater's does.
struct MessageInflater: Sendable {
  /// Takes what comes out, in pieces of at most 16 KiB.
  typealias Take = (UnsafeRawBufferPointer) throws(ProtocolError) -> Void

  private let window: MessageDeflate.Window
  private var inflater: Inflater?

  init(_ deflate: MessageDeflate) { window = deflate.receiving }

  /// Inflates the next bytes of a message.
  ///
  /// What `take` throws ends it at once: no more is inflated than is taken.
  ///
  /// - Parameter limit: After so many bytes came out, or up to 16 KiB more, it stops.
  /// - Returns: How many bytes were used; the others are to be given again.
  @discardableResult
  mutating func inflate(
    _ bytes: UnsafeRawBufferPointer,
    upTo limit: Int = .max,
    _ take: Take
  ) throws(ProtocolError) -> Int {
    try prepared()?.inflate(bytes, upTo: limit, take) ?? bytes.count
  }

  /// The message ends here.
  mutating func finish(_ take: Take) throws(ProtocolError) {
    try prepared()?.finish(take)
    if !window.isKept { inflater = nil }
  }

  private mutating func prepared() -> Inflater? {
    guard inflater == nil, let zlib = Zlib.shared else { return inflater }
    // Compressors that are told 8 bits take 9 (zlib's manual, deflateInit2).
    let inflater = Inflater(zlib, windowBits: max(window.bits, 9))
    self.inflater = inflater
    return inflater
  }
}
