/// Bytes that are not written yet: added at the end, removed from the front.
///
/// Memory grows with the unwritten bytes and is freed after a burst.
package struct OutputBuffer: Sendable {
  /// The capacity that an empty buffer keeps, in bytes: a frame of 64 KiB fits.
  static let retainedCapacity = 68 * 1024
  /// The capacity to request of an array so that, rounded up by the system, it stays within that.
  private static let fullCapacity = retainedCapacity - 128

  /// The bytes before `consumed` are written.
  private var bytes: [UInt8] = []
  private var consumed = 0

  package init() {}

  /// How many bytes are not written yet.
  package var count: Int { bytes.count - consumed }

  /// Whether all bytes are written.
  package var isEmpty: Bool { consumed == bytes.count }

  /// How many bytes the buffer holds without allocating.
  var capacity: Int { bytes.capacity }

  /// Adds bytes at the end.
  package mutating func append(_ source: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: source)
  }

  /// Adds bytes at the end; an empty buffer adopts a long array, because a copy takes time.
  mutating func append(_ source: [UInt8]) {
    if isEmpty, source.count > Self.retainedCapacity {
      (bytes, consumed) = (source, 0)
    } else {
      source.withUnsafeBytes { append($0) }
    }
  }

  /// Adds `count` bytes, all of which `fill` has to write.
  mutating func append(count: Int, fill: (UnsafeMutableRawPointer) -> Void) {
    guard count > 0 else { return }
    makeRoom(for: count)
    bytes.append(addingCapacity: count) { room in
      room.withUnsafeMutableBufferPointer { memory, initialized in
        // `memory` has `count` bytes and is valid inside this closure.
        guard let start = memory.baseAddress else { return }
        fill(UnsafeMutableRawPointer(start))
        initialized = count
      }
    }
  }

  /// Grows by doubling, but not beyond the retained capacity if that is enough.
  ///
  /// More would be freed after every burst, and allocated and copied into again in the next one.
  private mutating func makeRoom(for count: Int) {
    let needed = bytes.count + count
    let capacity = bytes.capacity
    guard needed > capacity, needed <= Self.fullCapacity, capacity > 8192 else { return }
    bytes.reserveCapacity(min(max(needed, 2 * capacity), Self.fullCapacity))
  }

  /// Passes the unwritten bytes in order to `body`, valid inside it only.
  package func withReadableBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { memory throws(Failure) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: memory[consumed...])))
    }
  }

  /// Moves all bytes out, with their memory; `putBack` may follow.
  mutating func takeAll() -> OutputBuffer {
    var taken = OutputBuffer()
    swap(&taken, &self)
    return taken
  }

  /// Puts taken bytes, without the first `written`, in front of those added meanwhile.
  ///
  /// The result uses one of the two buffers' memory. The other memory is left in `taken`, for the
  /// caller to release.
  mutating func putBack(_ taken: inout OutputBuffer, written: Int) {
    taken.consume(written)
    if taken.isEmpty, !isEmpty { return }
    // Copies each added byte once: after that it is among the taken ones.
    if !isEmpty { withReadableBytes { taken.append($0) } }
    swap(&taken, &self)
  }

  /// Removes the first `count` bytes, which are written.
  package mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "\(count) of \(self.count) bytes were written")
    consumed += count
    if isEmpty {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.retainedCapacity)
      consumed = 0
    } else if consumed > Self.retainedCapacity, consumed > self.count {
      // The rest moves at most once per as many written bytes: linear in total.
      bytes.removeSubrange(..<consumed)
      consumed = 0
    }
  }
}
