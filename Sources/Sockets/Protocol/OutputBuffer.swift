/// Bytes that are not written yet: added at the end, removed from the front.
///
/// Memory grows with the unwritten bytes and is freed after a burst. The last bytes may be those of a
/// long message, which is then written from its own memory, without a copy.
struct OutputBuffer: ~Copyable {
  /// The capacity that an empty buffer keeps, in bytes: a frame of 64 KiB fits.
  static let retainedCapacity = 68 * 1024

  /// The head of a block of memory, with its bytes behind it.
  private struct Block {
    let capacity: Int
    /// The bytes before `start` are written.
    var start = 0
    var end = 0

    var count: Int { end &- start }
  }

  // Owned: no other value has a pointer into it.
  private var block: UnsafeMutablePointer<Block>?
  /// The long message behind the bytes of the block; it is never empty.
  private var tail = Boxed<Tail>()

  private struct Tail: Sendable {
    enum Content: Sendable {
      case message(WebSocketMessage)
      case bytes([UInt8])
    }

    let content: Content
    /// How many bytes are written.
    var written = 0

    var count: Int {
      switch content {
      case .message(let message): message.byteCount - written
      case .bytes(let bytes): bytes.count - written
      }
    }

    func withReadableBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      switch content {
      case .message(let message):
        message.withPayload { body(UnsafeRawBufferPointer(rebasing: $0[written...])) }
      case .bytes(let bytes):
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[written...])) }
      }
    }
  }

  init() {}

  deinit { block.map(Self.free) }

  /// How many bytes are not written yet.
  var count: Int {
    let own = ownCount
    return tail.isNone ? own : own + tailCount
  }

  /// How many of them are in the memory of the buffer.
  private var ownCount: Int { block.map { $0.pointee.count } ?? 0 }

  @inline(never) private var tailCount: Int { tail.value?.count ?? 0 }

  /// Whether all bytes are written.
  var isEmpty: Bool { ownCount == 0 && tail.isNone }

  /// How many bytes the buffer holds without allocating.
  var capacity: Int { block.map { $0.pointee.capacity } ?? 0 }

  // MARK: Adding

  /// Adds bytes at the end.
  mutating func append(_ source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress else { return }
    append(count: source.count) { $0.copyMemory(from: start, byteCount: source.count) }
  }

  /// Adds bytes at the end; those of a long array are copied only if more is added before they are
  /// written.
  mutating func append(_ source: [UInt8]) {
    guard source.count > Self.retainedCapacity else { return source.withUnsafeBytes { append($0) } }
    copyTail()
    tail.value = Tail(content: .bytes(source))
  }

  /// Adds the payload of a long message, which is copied only if more is added before it is written.
  mutating func append(_ message: WebSocketMessage) {
    guard message.byteCount > 0 else { return }
    copyTail()
    tail.value = Tail(content: .message(message))
  }

  /// Adds `count` bytes, all of which `fill` has to write.
  @inline(__always)
  mutating func append(count: Int, fill: (UnsafeMutableRawPointer) -> Void) {
    guard count > 0 else { return }
    copyTail()
    let block = blockWithRoom(for: count)
    // The block has room for `count` bytes behind `end`.
    fill(Self.bytes(of: block) + block.pointee.end)
    block.pointee.end &+= count
  }

  @inline(__always)
  private mutating func copyTail() { if !tail.isNone { moveTailIntoBlock() } }

  @inline(never)
  private mutating func moveTailIntoBlock() { tail.take()?.withReadableBytes { append($0) } }

  @inline(__always)
  private mutating func blockWithRoom(for count: Int) -> UnsafeMutablePointer<Block> {
    if let block, block.pointee.capacity &- block.pointee.end >= count { return block }
    return makeRoom(for: count)
  }

  /// Moves the bytes to the front of the block, or to a larger one.
  ///
  /// A block grows by doubling, but not beyond the retained capacity if that is enough. More would be
  /// freed after every burst, and allocated and copied into again in the next one.
  @inline(never)
  private mutating func makeRoom(for count: Int) -> UnsafeMutablePointer<Block> {
    let needed = ownCount + count
    // The rest moves at most once per as many written bytes: linear in total.
    if let block, needed <= capacity, block.pointee.start >= block.pointee.count {
      Self.move(block, to: block)
      return block
    }
    let doubled = max(needed, 2 * capacity)
    let new = Self.allocate(
      needed <= Self.retainedCapacity ? min(doubled, Self.retainedCapacity) : doubled)
    if let old = block {
      Self.move(old, to: new)
      Self.free(old)
    }
    block = new
    return new
  }

  // MARK: Writing

  /// Passes the unwritten bytes in order to `body`, valid inside it only; the second ones are those of
  /// a long message, or none.
  @inline(__always)
  func withReadableParts<Result>(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let own = ownBytes
    guard let tail = tail.isNone ? nil : tail.value else {
      return body(own, .init(start: nil, count: 0))
    }
    return tail.withReadableBytes { body(own, $0) }
  }

  /// The unwritten bytes of the block, valid until it changes.
  private var ownBytes: UnsafeRawBufferPointer {
    guard let block else { return .init(start: nil, count: 0) }
    return .init(start: Self.bytes(of: block) + block.pointee.start, count: block.pointee.count)
  }

  /// Moves all bytes out, with their memory; `putBack` may follow.
  @inline(__always)
  mutating func takeAll() -> OutputBuffer {
    var taken = OutputBuffer()
    swap(&taken, &self)
    return taken
  }

  /// Puts taken bytes, without the first `written`, in front of those added meanwhile.
  ///
  /// The result uses one of the two buffers' memory. The other memory is left in `taken`, for the
  /// caller to release.
  @inline(__always)
  mutating func putBack(_ taken: inout OutputBuffer, written: Int) {
    taken.consume(written)
    let isEmpty = isEmpty
    if taken.isEmpty, !isEmpty { return }
    if !isEmpty { taken.moveAll(from: &self) }
    swap(&taken, &self)
  }

  /// Copies each byte of `other` once: after that it is among the taken ones.
  @inline(never)
  private mutating func moveAll(from other: inout OutputBuffer) {
    append(other.ownBytes)
    guard !other.tail.isNone else { return }
    copyTail()
    swap(&tail, &other.tail)
  }

  /// Removes the first `count` bytes, which are written.
  @inline(__always)
  mutating func consume(_ count: Int) {
    guard tail.isNone, let block, count == block.pointee.count,
      block.pointee.capacity <= Self.retainedCapacity
    else { return consumeSome(count) }
    (block.pointee.start, block.pointee.end) = (0, 0)
  }

  @inline(never)
  private mutating func consumeSome(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "\(count) of \(self.count) bytes were written")
    let own = min(count, ownCount)
    if own < count {
      tail.update { $0.written += count - own }
      if tailCount == 0 { tail.value = nil }
    }
    guard let block else { return }
    block.pointee.start += own
    if block.pointee.count > 0 { return }
    if block.pointee.capacity <= Self.retainedCapacity {
      (block.pointee.start, block.pointee.end) = (0, 0)
    } else {
      Self.free(block)
      self.block = nil
    }
  }

  // MARK: Memory

  private static func bytes(of block: UnsafeMutablePointer<Block>) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(block + 1)
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Block> {
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Block>.size + capacity, alignment: MemoryLayout<Block>.alignment
    ).bindMemory(to: Block.self, capacity: 1)
    block.initialize(to: Block(capacity: capacity))
    return block
  }

  private static func free(_ block: UnsafeMutablePointer<Block>) {
    UnsafeMutableRawPointer(block).deallocate()
  }

  /// Moves the unwritten bytes to the front of `target`, which has room for them and may be `block`.
  private static func move(
    _ block: UnsafeMutablePointer<Block>, to target: UnsafeMutablePointer<Block>
  ) {
    let count = block.pointee.count
    bytes(of: target).copyMemory(from: bytes(of: block) + block.pointee.start, byteCount: count)
    (target.pointee.start, target.pointee.end) = (0, count)
  }
}

// The value owns its memory, and moves to another thread with it.
extension OutputBuffer: @unchecked Sendable {}
