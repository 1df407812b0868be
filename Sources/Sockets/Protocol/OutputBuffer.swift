/// Bytes that are not written yet: added at the end, removed from the front.
///
/// Memory grows with the unwritten bytes and is freed after a burst. The last bytes may be those of a
/// long message, which is then written from its own memory, without a copy.
package struct OutputBuffer: Sendable {
  /// The capacity that an empty buffer keeps, in bytes: a frame of 64 KiB fits.
  static let retainedCapacity = 68 * 1024
  /// The capacity to request of an array so that, rounded up by the system, it stays within that.
  private static let fullCapacity = retainedCapacity - 128

  /// The bytes before `consumed` are written.
  private var bytes: [UInt8] = []
  private var consumed = 0
  /// The long message behind `bytes`; it is never empty.
  private var tail = Boxed<Tail>()

  private struct Tail: Sendable {
    let message: WebSocketMessage
    /// How many bytes are written.
    var written = 0

    var count: Int { message.byteCount - written }

    func withReadableBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      message.withPayload { body(UnsafeRawBufferPointer(rebasing: $0[written...])) }
    }
  }

  package init() {}

  /// How many bytes are not written yet.
  package var count: Int { ownCount + (tail.value?.count ?? 0) }

  /// How many of them are in the memory of the buffer.
  private var ownCount: Int { bytes.count - consumed }

  /// Whether all bytes are written.
  package var isEmpty: Bool { ownCount == 0 && tail.isNone }

  /// How many bytes the buffer holds without allocating.
  var capacity: Int { bytes.capacity }

  /// Adds bytes at the end.
  package mutating func append(_ source: UnsafeRawBufferPointer) {
    copyTail()
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
    copyTail()
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

  /// Adds the payload of a long message, which is copied only if more is added before it is written.
  mutating func append(_ message: WebSocketMessage) {
    guard message.byteCount > 0 else { return }
    copyTail()
    tail.value = Tail(message: message)
  }

  private mutating func copyTail() {
    if tail.isNone { return }
    tail.take()?.withReadableBytes { bytes.append(contentsOf: $0) }
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

  /// Passes the unwritten bytes in order to `body`, valid inside it only; the second ones are those of
  /// a long message, or none.
  package func withReadableParts<Result>(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withOwnBytes { own in
      guard let tail = tail.value else { return body(own, .init(start: nil, count: 0)) }
      return tail.withReadableBytes { body(own, $0) }
    }
  }

  /// Passes the unwritten bytes in order to `body`, valid inside it only.
  ///
  /// It copies a long message.
  package func withReadableBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard tail.isNone else {
      var copy = self
      copy.copyTail()
      return try copy.withOwnBytes(body)
    }
    return try withOwnBytes(body)
  }

  private func withOwnBytes<Result, Failure: Error>(
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
    if !isEmpty {
      withOwnBytes { if !$0.isEmpty { taken.append($0) } }
      if !tail.isNone {
        taken.copyTail()
        swap(&taken.tail, &tail)
      }
    }
    swap(&taken, &self)
  }

  /// Removes the first `count` bytes, which are written.
  package mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "\(count) of \(self.count) bytes were written")
    let own = min(count, ownCount)
    consumed += own
    if own < count {
      tail.update { $0.written += count - own }
      if tail.value?.count == 0 { tail.value = nil }
    }
    if ownCount == 0 {
      if bytes.capacity <= Self.retainedCapacity {
        // It takes a fifth of the time of `removeAll(keepingCapacity:)`.
        bytes.removeLast(bytes.count)
      } else {
        bytes = []
      }
      consumed = 0
    } else if consumed > Self.retainedCapacity, consumed > ownCount {
      // The rest moves at most once per as many written bytes: linear in total.
      bytes.removeSubrange(..<consumed)
      consumed = 0
    }
  }
}
