import Reactive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What waits to be framed, in order.
///
/// Messages wait behind a long one, or behind one that the application sends in fragments. A plain value; most
/// connections have none.
struct SendQueue: Sendable {
  /// What waits.
  enum Item: Sendable {
    case message(WebSocketMessage)
    case close(ClosePayload)
  }

  /// A message that is framed in fragments, and compressed in pieces as they leave.
  struct LongMessage: Sendable {
    let message: WebSocketMessage
    let isCompressed: Bool
    /// What frames carry: the message, or what its last compressed piece came to.
    fileprivate(set) var payload: WebSocketMessage
    /// How many bytes of the payload are framed.
    fileprivate var framed = 0
    /// How many bytes of the message are compressed; all of one that is sent as it is.
    fileprivate var compressed: Int
    /// Whether a frame has been made of it.
    fileprivate var isBegun = false

    init(_ message: WebSocketMessage, isCompressed: Bool) {
      self.message = message
      self.isCompressed = isCompressed
      payload = isCompressed ? .binary(Data()) : message
      compressed = isCompressed ? 0 : message.byteCount
    }

    fileprivate var isCompressedToTheEnd: Bool { compressed == message.byteCount }
    /// How many bytes have yet to be framed.
    fileprivate var byteCount: Int {
      message.byteCount - compressed + payload.byteCount - framed
    }
  }

  /// A frame of a long message.
  struct Fragment {
    let payload: WebSocketMessage
    /// The bytes of the payload that the frame carries.
    let range: Range<Int>
    let opcode: Opcode
    let isFinal: Bool
    /// Whether the frame says that the message is compressed: the first one does.
    let isCompressed: Bool
  }

  /// What is to be done next.
  enum Next {
    case message(WebSocketMessage)
    /// A piece of a message is to be compressed; `addPayload` follows.
    case compress(WebSocketMessage, Range<Int>, isLast: Bool)
    case fragment(Fragment)
    case close(ClosePayload)
  }

  /// Whether the application sends a message in fragments: all else waits for its last one.
  var isStreaming = false
  /// Whether a close frame waits; nothing comes behind it.
  private(set) var hasClose = false
  /// How many bytes of messages wait.
  private(set) var bytes = 0
  private var long: LongMessage?
  /// How many of them wait behind the message that is being framed.
  var bytesBehind: Int { bytes - (long?.byteCount ?? 0) }
  /// Whether what was compressed last waits to be framed.
  var hasPayload: Bool { long.map { $0.framed < $0.payload.byteCount } ?? false }
  /// Whether the message that is being framed is compressed.
  var isCompressing: Bool { long?.isCompressed ?? false }
  private var items = Fifo<Item>()

  /// Whether nothing waits and nothing has to.
  var isEmpty: Bool { !isStreaming && long == nil && items.isEmpty }

  mutating func append(_ item: Item) {
    switch item {
    case .message(let message): bytes += message.byteCount
    case .close: hasClose = true
    }
    items.append(item)
  }

  /// The message that was taken last is framed in fragments, before all that waits.
  mutating func begin(_ message: LongMessage) {
    long = message
    bytes += message.byteCount
  }

  /// Adds what the piece of a message came to that was compressed last.
  mutating func addPayload(_ payload: Data) {
    long?.payload = .binary(payload)
    long?.framed = 0
    bytes += payload.count
  }

  /// Takes what is to be done next; nil when nothing is, or the application is in the middle of a message.
  ///
  /// - Parameters:
  ///   - fragmentSize: How long the payload of a fragment may be.
  ///   - pieceSize: How many bytes are compressed at once.
  mutating func next(fragmentSize: Int, pieceSize: Int) -> Next? {
    if isStreaming { return nil }
    if let long { return next(of: long, fragmentSize, pieceSize) }
    switch items.popFirst() {
    case nil: return nil
    case .message(let message):
      bytes -= message.byteCount
      return .message(message)
    case .close(let payload): return .close(payload)
    }
  }

  /// - Parameter long: The message that is being framed.
  private mutating func next(of long: LongMessage, _ fragmentSize: Int, _ pieceSize: Int) -> Next {
    var long = long
    if long.framed == long.payload.byteCount, !long.isCompressedToTheEnd {
      let range = long.compressed..<min(long.compressed + pieceSize, long.message.byteCount)
      bytes -= range.count
      long.compressed = range.upperBound
      self.long = long
      return .compress(long.message, range, isLast: long.isCompressedToTheEnd)
    }
    let range = long.framed..<min(long.framed + fragmentSize, long.payload.byteCount)
    let fragment = Fragment(
      payload: long.payload,
      range: range,
      opcode: long.isBegun ? .continuation : long.message.opcode,
      isFinal: long.isCompressedToTheEnd && range.upperBound == long.payload.byteCount,
      isCompressed: long.isCompressed && !long.isBegun
    )
    bytes -= range.count
    long.framed = range.upperBound
    long.isBegun = true
    self.long = fragment.isFinal ? nil : long
    return .fragment(fragment)
  }
}

extension WebSocketMessage {
  /// The opcode of its first frame.
  var opcode: Opcode {
    switch self {
    case .text: .text
    case .binary: .binary
    }
  }

  /// Shows the bytes that frames carry; they are valid inside of `body` only.
  @inline(__always)
  func withPayload<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    switch self {
    case .text(let text):
      // A string of Objective-C is copied first.
      text.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        ?? Array(text.utf8).withUnsafeBytes { body($0) }
    case .binary(let data):
      data.withUnsafeBytes { body($0) }
    }
  }
}
