/// A first-in, first-out queue.
///
/// The first element is stored inline, the others in a ring. The ring grows by doubling, and an
/// empty ring of more than 1024 places is released.
@frozen @usableFromInline package struct Fifo<Element> {
  /// The oldest element; nil when the queue is empty.
  @usableFromInline package private(set) var first: Element?
  @usableFromInline var ring: ContiguousArray<Element?> = []
  @usableFromInline var head = 0
  @usableFromInline var behind = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { first == nil }

  @inlinable package var count: Int { first == nil ? 0 : behind &+ 1 }

  @inlinable package mutating func append(_ element: Element) {
    if first == nil { first = element } else { appendBehind(element) }
  }

  @inlinable package mutating func popFirst() -> Element? {
    let popped = first
    first = behind == 0 ? nil : popBehind()
    return popped
  }

  /// The newest element; nil when the queue is empty.
  @inlinable package var last: Element? {
    behind == 0 ? first : ring[(head &+ behind &- 1) & (ring.count &- 1)]
  }

  /// The element at `offset`, counted from the oldest one.
  @inlinable package subscript(offset: Int) -> Element {
    guard let element = offset == 0 ? first : ring[(head &+ offset &- 1) & (ring.count &- 1)] else {
      preconditionFailure("Fifo: \(offset) of \(count).")
    }
    return element
  }

  /// Replaces the oldest element and returns it; the queue must not be empty.
  @inlinable package mutating func replaceFirst(with element: Element) -> Element? {
    let old = first
    first = element
    return old
  }

  /// Removes the oldest element for which `isRemoved` returns true, and returns it.
  ///
  /// Takes longer with each element that is older than that one.
  package mutating func removeFirst(where isRemoved: (Element) -> Bool) -> Element? {
    guard let offset = (0..<count).first(where: { isRemoved(self[$0]) }) else { return nil }
    let removed = self[offset]
    for offset in (0..<offset).reversed() {
      ring[(head &+ offset) & (ring.count &- 1)] = self[offset]
    }
    _ = popFirst()
    return removed
  }

  @inlinable package mutating func removeAll() { self = Fifo() }

  @inlinable mutating func appendBehind(_ element: Element) {
    if behind == ring.count { grow() }
    ring[(head &+ behind) & (ring.count &- 1)] = element
    behind &+= 1
  }

  @inlinable mutating func popBehind() -> Element? {
    let element = ring[head].take()
    head = (head &+ 1) & (ring.count &- 1)
    behind &-= 1
    if behind == 0, ring.count > 1024 { (ring, head) = ([], 0) }
    return element
  }

  // Inlinable: without the type of the elements it takes twenty times as long.
  @inlinable mutating func grow() {
    let size = Swift.max(8, ring.count &* 2)
    var larger = ContiguousArray<Element?>()
    larger.reserveCapacity(size)
    for offset in 0..<behind { larger.append(ring[(head &+ offset) & (ring.count &- 1)].take()) }
    larger.append(contentsOf: repeatElement(nil, count: size &- behind))
    (ring, head) = (larger, 0)
  }
}

extension Fifo: Sendable where Element: Sendable {}
