import Reactive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The messages that are not framed yet, in order.
///
/// Messages wait behind a long one, or behind one that the application sends in fragments. A plain
/// value; most connections have none.
struct UnframedMessages: Sendable {
  /// An element of the queue.
  enum Item: Sendable {
    case message(WebSocketMessage)
    case close(ClosePayload)
  }

  /// A message that is framed in fragments, and compressed in pieces as they are written.
  struct LongMessage: Sendable {
    let message: WebSocketMessage
    let isCompressed: Bool
    /// The bytes for frames: the message, or its piece compressed most recently.
    fileprivate(set) var payload: WebSocketMessage
    /// How many bytes of the payload are framed.
    fileprivate var framed = 0
    /// How many bytes of the message are compressed; all of an uncompressed message.
    fileprivate var compressed: Int
    /// Whether its first frame was made.
    fileprivate var isBegun = false

    init(_ message: WebSocketMessage, isCompressed: Bool) {
      self.message = message
      self.isCompressed = isCompressed
      payload = isCompressed ? .binary(Data()) : message
      compressed = isCompressed ? 0 : message.byteCount
    }

    fileprivate var isCompressedToTheEnd: Bool { compressed == message.byteCount }
    /// How many bytes are not framed yet: uncompressed ones of the rest, and those of the payload.
    fileprivate var unframedByteCount: Int {
      message.byteCount - compressed + payload.byteCount - framed
    }
  }

  /// The next step of framing.
  enum Next {
    case message(WebSocketMessage)
    /// Compress a piece of a message; `setPayload` follows.
    case compress(WebSocketMessage, Range<Int>, isLast: Bool)
    /// Write a frame of a long message: the range of a payload.
    ///
    /// `isCompressed`: RSV1 is set, on the first frame of a compressed message.
    case fragment(
      WebSocketMessage, Range<Int>, opcode: Opcode, isFinal: Bool, isCompressed: Bool)
    case close(ClosePayload)
  }

  /// Whether the application is sending a message in fragments: all else waits for the last one.
  var isSendingFragments = false
  private var long: LongMessage?
  /// How many bytes of messages are not framed yet, the current message's included.
  private(set) var byteCount = 0
  /// How many of these bytes are behind the message that is being framed.
  var bytesBehind: Int { byteCount - (long?.unframedByteCount ?? 0) }
  /// Whether bytes of the current message are ready to be framed.
  var hasPayload: Bool { long.map { $0.framed < $0.payload.byteCount } ?? false }
  /// Whether a long message is being framed that is compressed in pieces.
  var isCompressingInPieces: Bool { long?.isCompressed ?? false }
  private var items = Fifo<Item>()

  /// Whether nothing is queued and no message is being sent in fragments.
  var isEmpty: Bool { !isSendingFragments && long == nil && items.isEmpty }

  mutating func append(_ item: Item) {
    if case .message(let message) = item { byteCount += message.byteCount }
    items.append(item)
  }

  /// Begins to frame a message in fragments; they precede the rest of the queue.
  ///
  /// Call it when no message is being framed.
  mutating func begin(_ message: LongMessage) {
    long = message
    byteCount += message.unframedByteCount
  }

  /// Replaces the payload by the compressed form of the piece of the last `.compress`.
  ///
  /// The payload may be empty.
  mutating func setPayload(_ payload: Data) {
    long?.payload = .binary(payload)
    long?.framed = 0
    byteCount += payload.count
  }

  /// Takes the next step; nil when the queue is empty, or while the application sends fragments.
  ///
  /// - Parameters:
  ///   - fragmentSize: longest payload of a fragment, in bytes
  ///   - pieceSize: how many bytes are compressed in one step
  mutating func next(fragmentSize: Int, pieceSize: Int) -> Next? {
    if isSendingFragments { return nil }
    if let long { return next(of: long, fragmentSize, pieceSize) }
    switch items.popFirst() {
    case nil: return nil
    case .message(let message):
      byteCount -= message.byteCount
      return .message(message)
    case .close(let payload): return .close(payload)
    }
  }

  /// - Parameter long: message that is being framed
  private mutating func next(of long: LongMessage, _ fragmentSize: Int, _ pieceSize: Int) -> Next {
    var long = long
    if long.framed == long.payload.byteCount, !long.isCompressedToTheEnd {
      let range = long.compressed..<min(long.compressed + pieceSize, long.message.byteCount)
      byteCount -= range.count
      long.compressed = range.upperBound
      self.long = long
      return .compress(long.message, range, isLast: long.isCompressedToTheEnd)
    }
    let range = long.framed..<min(long.framed + fragmentSize, long.payload.byteCount)
    let isFirst = !long.isBegun
    let isFinal = long.isCompressedToTheEnd && range.upperBound == long.payload.byteCount
    byteCount -= range.count
    long.framed = range.upperBound
    long.isBegun = true
    self.long = isFinal ? nil : long
    return .fragment(
      long.payload,
      range,
      opcode: isFirst ? long.message.opcode : .continuation,
      isFinal: isFinal,
      isCompressed: isFirst && long.isCompressed
    )
  }
}
