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

  /// A message that is framed in fragments.
  struct Rest: Sendable {
    let opcode: Opcode
    /// What the frames carry: the message, or its compressed form.
    var payload: WebSocketMessage
    var isCompressed: Bool
    /// How many of its bytes are framed.
    fileprivate(set) var framed = 0

    init(opcode: Opcode, payload: WebSocketMessage, isCompressed: Bool) {
      self.opcode = opcode
      self.payload = payload
      self.isCompressed = isCompressed
    }
  }

  /// What is to be framed next.
  enum Next {
    case message(WebSocketMessage)
    case fragment(Rest, Range<Int>)
    case close(ClosePayload)
  }

  /// Whether the application sends a message in fragments: all else waits for its last one.
  var isStreaming = false
  /// Whether a close frame waits; nothing comes behind it.
  private(set) var hasClose = false
  /// How many bytes of messages wait.
  private(set) var bytes = 0
  private var rest: Rest?
  /// How many of them wait behind the message that is being framed.
  var bytesBehind: Int { bytes - (rest.map { $0.payload.byteCount - $0.framed } ?? 0) }
  private var items = Fifo<Item>()

  /// Whether nothing waits and nothing has to.
  var isEmpty: Bool { !isStreaming && rest == nil && items.isEmpty }

  mutating func append(_ item: Item) {
    switch item {
    case .message(let message): bytes += message.byteCount
    case .close: hasClose = true
    }
    items.append(item)
  }

  /// The message that was taken last is framed in fragments, before all that waits.
  mutating func begin(_ rest: Rest) {
    self.rest = rest
    bytes += rest.payload.byteCount
  }

  /// Takes what is to be framed next; nil when nothing is, or the application is in the middle of a message.
  mutating func next(atMost fragmentSize: Int) -> Next? {
    if isStreaming { return nil }
    if let rest { return .fragment(rest, advance(rest, by: fragmentSize)) }
    switch items.popFirst() {
    case nil: return nil
    case .message(let message):
      bytes -= message.byteCount
      return .message(message)
    case .close(let payload): return .close(payload)
    }
  }

  private mutating func advance(_ rest: Rest, by count: Int) -> Range<Int> {
    let end = min(rest.framed + count, rest.payload.byteCount)
    bytes -= end - rest.framed
    self.rest?.framed = end
    if end == rest.payload.byteCount { self.rest = nil }
    return rest.framed..<end
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
