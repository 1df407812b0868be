/// A first-in, first-out queue that grows without moving its elements: to copy a long one would stop the
/// program for milliseconds.
final class BlockQueue<Element: Sendable>: @unchecked Sendable {
  private final class Block {
    @exclusivity(unchecked) var elements = ContiguousArray<Element?>()

    init() { elements.reserveCapacity(BlockQueue.blockSize) }
  }

  private static var blockSize: Int { 1_024 }

  // Protected by the owner.
  @exclusivity(unchecked) private var blocks = Fifo<Block>()
  @exclusivity(unchecked) private var lastBlock: Block?
  /// The number of the removed elements of the first block.
  @exclusivity(unchecked) private var removedCount = 0
  @exclusivity(unchecked) private(set) var count = 0

  /// The element at `offset`, counted from the oldest one.
  subscript(offset: Int) -> Element {
    _read {
      precondition(offset >= 0 && offset < count, "BlockQueue: \(offset) of \(count).")
      let place = removedCount + offset
      // None of those counted is removed.
      // swift-format-ignore: NeverForceUnwrap
      yield blocks[place / Self.blockSize].elements[place % Self.blockSize]!
    }
  }

  func append(_ element: consuming Element) {
    count += 1
    if let lastBlock, lastBlock.elements.count < Self.blockSize {
      return lastBlock.elements.append(element)
    }
    let block = Block()
    block.elements.append(element)
    blocks.append(block)
    lastBlock = block
  }

  func popFirst() -> Element? {
    guard count > 0, let block = blocks.first else { return nil }
    let element = block.elements[removedCount].take()
    count -= 1
    removedCount += 1
    if removedCount == Self.blockSize {
      _ = blocks.popFirst()
      removedCount = 0
      if blocks.isEmpty { lastBlock = nil }
    }
    return element
  }
}
