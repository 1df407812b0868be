/// Bytes that wait to be written: added at the end, taken from the front.
///
/// Memory grows with what waits and is given back when a burst is over.
package struct OutputBuffer: Sendable {
  /// What an empty buffer keeps for the next bytes.
  ///
  /// A frame of 64 KiB fits.
  static let retainedCapacity = 68 * 1024
  /// What an array of about that capacity may be asked to have: the system rounds up.
  private static let fullCapacity = retainedCapacity - 128

  /// The bytes before `consumed` are written already.
  private var bytes: [UInt8] = []
  private var consumed = 0

  package init() {}

  /// How many bytes wait.
  package var count: Int { bytes.count - consumed }

  /// Whether nothing waits.
  package var isEmpty: Bool { consumed == bytes.count }

  /// How many bytes fit without asking for memory.
  var capacity: Int { bytes.capacity }

  /// Adds bytes at the end.
  package mutating func append(_ source: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: source)
  }

  /// Adds bytes at the end; many are taken as they are where none wait, for a copy would take the thread's time.
  mutating func append(_ source: [UInt8]) {
    if isEmpty, source.count > Self.retainedCapacity {
      (bytes, consumed) = (source, 0)
    } else {
      source.withUnsafeBytes { append($0) }
    }
  }

  /// Adds `count` bytes that `fill` writes.
  ///
  /// It has to write all of them.
  mutating func append(count: Int, fill: (UnsafeMutableRawPointer) -> Void) {
    guard count > 0 else { return }
    makeRoom(for: count)
    bytes.append(addingCapacity: count) { room in
      room.withUnsafeMutableBufferPointer { memory, initialized in
        // `memory` has `count` bytes and lives as long as this closure.
        guard let start = memory.baseAddress else { return }
        fill(UnsafeMutableRawPointer(start))
        initialized = count
      }
    }
  }

  /// Grows by doubling, but not past what is kept when it is enough: memory that is given back after
  /// every burst would have to be asked for, and filled by copies, in every burst.
  private mutating func makeRoom(for count: Int) {
    let needed = bytes.count + count
    let capacity = bytes.capacity
    guard needed > capacity, needed <= Self.fullCapacity, capacity > 8192 else { return }
    bytes.reserveCapacity(min(max(needed, 2 * capacity), Self.fullCapacity))
  }

  /// Shows the bytes that wait, first one first.
  ///
  /// The memory is valid inside of `body` only.
  package func withReadableBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { memory throws(Failure) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: memory[consumed...])))
    }
  }

  /// Takes all bytes out, with their memory; `takeBack` may follow.
  mutating func lend() -> OutputBuffer {
    var lent = OutputBuffer()
    swap(&lent, &self)
    return lent
  }

  /// Puts what was lent back in front of what was added meanwhile, without the first `written` bytes.
  ///
  /// Its memory serves again; where what was added has its own, `lent` keeps it, for the caller to
  /// release.
  mutating func takeBack(_ lent: inout OutputBuffer, written: Int) {
    lent.consume(written)
    if lent.isEmpty, !isEmpty { return }
    // Each byte that was added is copied once: from now on it is among what is lent.
    if !isEmpty { withReadableBytes { lent.append($0) } }
    swap(&lent, &self)
  }

  /// Drops the first `count` bytes: they are written.
  package mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "\(count) of \(self.count) bytes were written")
    consumed += count
    if isEmpty {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.retainedCapacity)
      consumed = 0
    } else if consumed > Self.retainedCapacity, consumed > self.count {
      // The rest moves to the front at most once for as many bytes written: linear in the whole.
      bytes.removeSubrange(..<consumed)
      consumed = 0
    }
  }
}
