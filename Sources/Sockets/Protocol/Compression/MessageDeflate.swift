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

/// Compresses the messages that one side sends (RFC 7692, section 7.2.1).
///
/// The state of zlib is made when a message needs it. It is freed after each message when the next
/// one may not refer to it. A copy shares the state: the lock that protects the connection protects
/// the state too.
struct MessageDeflater: Sendable {
  let threshold: Int
  let window: MessageDeflate.Window
  private var stream: ZlibStream?

  init(_ deflate: MessageDeflate) {
    self.init(threshold: deflate.threshold, window: deflate.sending)
  }

  init(threshold: Int, window: MessageDeflate.Window) {
    self.threshold = threshold
    self.window = window
  }

  /// Drops the window: the next message refers to nothing before it.
  mutating func forget() { stream = nil }

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
    let stream = self.stream ?? ZlibStream(zlib, windowBits: window.bits, deflates: true)
    stream.deflate(piece, isLast: isLast, body)
    self.stream = window.isKept || !isLast ? stream : nil
  }
}

/// Inflates the messages that one side receives (RFC 7692, section 7.2.2).
///
/// The state of zlib is made on first use, and freed after each message unless the window is kept.
struct MessageInflater: Sendable {
  /// Receives the inflated bytes, in pieces of at most 16 KiB.
  typealias Take = (UnsafeRawBufferPointer) throws(ProtocolError) -> Void

  private let window: MessageDeflate.Window
  private var stream: ZlibStream?

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
    guard !bytes.isEmpty, let stream = madeStream() else { return bytes.count }
    return try stream.inflate(bytes, upTo: limit, take)
  }

  /// Ends the message and passes its last inflated bytes to `take`.
  ///
  /// - Throws: `compressedDataInvalid` unless the message ends with a flush: the next message would
  ///   be misread.
  mutating func finish(_ take: Take) throws(ProtocolError) {
    guard let stream = madeStream() else { return }
    guard stream.isFlushed else { throw .compressedDataInvalid }
    // 7.2.2: append the bytes that the sender removed.
    let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    try tail.withUnsafeBufferPointer { (tail) throws(ProtocolError) in
      _ = try stream.inflate(UnsafeRawBufferPointer(tail), upTo: .max, take)
    }
    if !window.isKept { self.stream = nil }
  }

  private mutating func madeStream() -> ZlibStream? {
    guard stream == nil, let zlib = Zlib.shared else { return stream }
    // Compressors that are set to 8 bits use 9 (zlib's manual, deflateInit2).
    stream = ZlibStream(zlib, windowBits: max(window.bits, 9), deflates: false)
    return stream
  }
}
