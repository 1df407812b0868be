/// The bytes on their way to one end of a memory transport, as a pure state machine.
struct MemoryInbox {
  private enum State {
    case open
    case ended
    case closed
  }

  enum Append {
    case accepted(Int, mustDeliver: Bool)
    /// The reader has closed: the bytes would never be read.
    case refused
  }

  enum Take {
    case nothing
    /// All bytes are taken, and the writer has ended.
    case end
    /// `writerWaits`: an earlier write was cut short, and its writer waits for room.
    case bytes([UInt8], writerWaits: Bool)
  }

  private let capacity: Int
  private var state = State.open
  private var bytes: [UInt8] = []
  private var writerWaits = false

  init(capacity: Int) {
    precondition(capacity > 0, "A capacity of \(capacity) bytes is not positive.")
    self.capacity = capacity
  }

  mutating func append(_ new: UnsafeRawBufferPointer) -> Append {
    guard case .open = state else { return .refused }
    let count = min(new.count, capacity - bytes.count)
    let mustDeliver = bytes.isEmpty && count > 0
    bytes.append(contentsOf: new.prefix(count))
    if count < new.count { writerWaits = true }
    return .accepted(count, mustDeliver: mustDeliver)
  }

  mutating func take(atMost limit: Int) -> Take {
    guard !bytes.isEmpty else {
      if case .ended = state { return .end }
      return .nothing
    }
    let taken = Array(bytes.prefix(limit))
    bytes.removeFirst(taken.count)
    defer { writerWaits = false }
    return .bytes(taken, writerWaits: writerWaits)
  }

  /// Ends writing: no more bytes are added.
  mutating func end() {
    if case .open = state { state = .ended }
  }

  /// Whether writing has ended.
  var hasEnded: Bool { if case .ended = state { true } else { false } }

  /// Ends reading and drops the bytes; returns whether a writer waits for room.
  mutating func close() -> Bool {
    state = .closed
    bytes = []
    return writerWaits
  }
}
