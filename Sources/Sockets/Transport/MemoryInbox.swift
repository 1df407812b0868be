/// The bytes on their way to one end of a memory transport: a plain value that decides.
struct MemoryInbox {
  private enum State {
    case open
    case ended
    case abandoned
  }

  enum Append {
    case taken(Int, mustDeliver: Bool)
    /// Nobody will ever read them.
    case refused
  }

  enum Take {
    case nothing
    /// All was taken, and no more will come.
    case end
    /// `madeRoom`: a writer had to be turned away and waits for this.
    case bytes([UInt8], madeRoom: Bool)
  }

  private let capacity: Int
  private var state = State.open
  private var bytes: [UInt8] = []
  private var writerWaits = false

  init(capacity: Int) {
    precondition(capacity > 0, "A capacity of \(capacity) bytes would never let one through.")
    self.capacity = capacity
  }

  mutating func append(_ new: UnsafeRawBufferPointer) -> Append {
    guard case .open = state else { return .refused }
    let count = min(new.count, capacity - bytes.count)
    let mustDeliver = bytes.isEmpty && count > 0
    bytes.append(contentsOf: new.prefix(count))
    if count < new.count { writerWaits = true }
    return .taken(count, mustDeliver: mustDeliver)
  }

  mutating func take(atMost limit: Int) -> Take {
    guard !bytes.isEmpty else {
      if case .ended = state { return .end }
      return .nothing
    }
    let taken = Array(bytes.prefix(limit))
    bytes.removeFirst(taken.count)
    defer { writerWaits = false }
    return .bytes(taken, madeRoom: writerWaits)
  }

  /// The writer will add no more.
  mutating func end() {
    if case .open = state { state = .ended }
  }

  /// Whether the writer will add no more.
  var hasEnded: Bool { if case .ended = state { true } else { false } }

  /// The reader will take no more.
  ///
  /// Returns whether a writer waits for room.
  mutating func abandon() -> Bool {
    state = .abandoned
    bytes = []
    return writerWaits
  }
}
