/// What an adopted connection holds between the library that moves its bytes and the event loop, as a
/// pure state machine.
struct AdoptedBytes {
  /// The end of the bytes from the peer.
  enum End: Equatable {
    case none
    /// The peer has ended its direction.
    case input
    /// Both directions have ended.
    case closed(TransportError?)
  }

  /// What the handler receives next.
  enum Delivery: Equatable {
    case bytes([UInt8])
    /// The end, behind all bytes; it is returned each time.
    case end(End)
  }

  private enum Writing {
    case unopened
    case open
    case ended
  }

  /// The bytes of each direction that wait: 256 KiB, and what the library reads before it stops.
  static let limit = 256 << 10

  private var received = Fifo<[UInt8]>()
  private var receivedCount = 0
  private(set) var end = End.none
  /// Whether the connection was closed before writing had ended, and all was written.
  private(set) var hasLostOutput = false
  private var mayRead = true
  private var isRead = true
  private var isChangingReading = false

  private var writing = Writing.unopened
  private var unwritten = 0
  private var isFull = false

  // MARK: From the peer

  /// Adds bytes of the peer; returns whether they are the only ones, and must be delivered.
  mutating func receive(_ bytes: [UInt8]) -> Bool {
    guard end == .none, !bytes.isEmpty else { return false }
    received.append(bytes)
    receivedCount += bytes.count
    return receivedCount == bytes.count
  }

  /// Notes an end of the peer's direction, or of both; returns whether it is new.
  mutating func note(_ end: End) -> Bool {
    switch (self.end, end) {
    case (.closed, _), (_, .none), (.input, .input): return false
    case (.none, _), (.input, .closed): break
    }
    if case .closed = end {
      hasLostOutput = !hasWrittenAll
      writing = .ended
    }
    self.end = end
    return true
  }

  /// Removes what is delivered next; nil for nothing, and for all that waits while reading is paused.
  mutating func take() -> Delivery? {
    guard mayRead else { return nil }
    if let bytes = received.popFirst() {
      receivedCount -= bytes.count
      return .bytes(bytes)
    }
    return end == .none ? nil : .end(end)
  }

  /// Pauses or resumes deliveries.
  mutating func setReading(_ mayRead: Bool) { self.mayRead = mayRead }

  /// Whether the library must start or stop to read, by the caller, who then calls
  /// ``readingChanged()`` and this method once more; nil for no change.
  mutating func beginChangingReading() -> Bool? {
    let isWanted = mayRead && receivedCount < (isRead ? Self.limit : Self.limit / 2)
    guard !isChangingReading, isWanted != isRead, end == .none else { return nil }
    isRead = isWanted
    isChangingReading = true
    return isWanted
  }

  mutating func readingChanged() { isChangingReading = false }

  // MARK: To the peer

  mutating func open() { if case .unopened = writing { writing = .open } }

  /// Accepts some of `count` bytes; returns how many must be written now.
  mutating func write(_ count: Int) -> Int {
    guard case .open = writing else { return 0 }
    let accepted = min(count, Self.limit - unwritten)
    unwritten += accepted
    if accepted < count { isFull = true }
    return accepted
  }

  /// Notes that bytes were written; returns whether a write that was cut short may continue.
  mutating func noteWritten(_ count: Int) -> Bool {
    unwritten = max(0, unwritten - count)
    guard isFull, unwritten <= Self.limit / 2 else { return false }
    isFull = false
    return true
  }

  /// Ends writing; returns whether it was open.
  mutating func endWriting() -> Bool {
    let wasOpen = writing == .open
    writing = .ended
    return wasOpen
  }

  /// Whether writing has ended, and the library has written everything.
  var hasWrittenAll: Bool { writing == .ended && unwritten == 0 }

  /// Drops all bytes, at the end of the connection.
  mutating func close() {
    writing = .ended
    received.removeAll()
    receivedCount = 0
  }
}
