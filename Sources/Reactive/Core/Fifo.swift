/// First in, first out, in a ring that grows by doubling and gives a burst's memory back.
@frozen @usableFromInline package struct Fifo<Element> {
  @usableFromInline var ring: ContiguousArray<Element?> = []
  @usableFromInline var head = 0
  @usableFromInline package private(set) var count = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { count == 0 }

  @inlinable package mutating func append(_ element: Element) {
    if count == ring.count { grow() }
    ring[(head &+ count) & (ring.count &- 1)] = element
    count &+= 1
  }

  @inlinable package mutating func popFirst() -> Element? {
    if count == 0 { return nil }
    let element = ring[head]
    ring[head] = nil
    head = (head &+ 1) & (ring.count &- 1)
    count &-= 1
    if count == 0, ring.count > 1024 {
      ring = []
      head = 0
    }
    return element
  }

  /// The first one in.
  @inlinable package var first: Element? { count == 0 ? nil : ring[head] }

  /// The last one in.
  @inlinable package var last: Element? {
    count == 0 ? nil : ring[(head &+ count &- 1) & (ring.count &- 1)]
  }

  /// All of them, first in first.
  @usableFromInline package var elements: [Element] {
    (0..<count).compactMap { ring[(head + $0) & (ring.count - 1)] }
  }

  /// Replaces the first one in; there must be one.
  @inlinable package mutating func replaceFirst(with element: Element) -> Element? {
    let old = ring[head]
    ring[head] = element
    return old
  }

  @inlinable package mutating func removeAll() {
    ring = []
    head = 0
    count = 0
  }

  @usableFromInline mutating func grow() {
    var larger = ContiguousArray<Element?>()
    larger.reserveCapacity(Swift.max(8, ring.count * 2))
    for offset in 0..<count { larger.append(ring[(head + offset) & (ring.count - 1)]) }
    for _ in count..<Swift.max(8, ring.count * 2) { larger.append(nil) }
    ring = larger
    head = 0
  }
}
