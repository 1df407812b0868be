/// A 4-ary heap with the smallest element first, by an order that the caller passes.
///
/// Four children per node halve the depth, and the children of a node share a cache line.
@frozen @usableFromInline package struct Heap<Element> {
  @usableFromInline package internal(set) var elements: ContiguousArray<Element> = []

  @inlinable package init() {}

  @inlinable package var first: Element? { elements.isEmpty ? nil : elements[0] }
  @inlinable package var count: Int { elements.count }

  @inlinable package mutating func insert(
    _ element: Element, by precedes: (Element, Element) -> Bool
  ) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0 {
      let parent = (index - 1) / 4
      guard precedes(elements[index], elements[parent]) else { return }
      elements.swapAt(index, parent)
      index = parent
    }
  }

  @inlinable package mutating func popFirst(by precedes: (Element, Element) -> Bool) -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let first = elements.first else { return last }
    elements[0] = last
    sink(0, by: precedes)
    return first
  }

  /// Replaces the first element and restores the order.
  @inlinable package mutating func replaceFirst(
    with new: Element, by precedes: (Element, Element) -> Bool
  ) {
    elements[0] = new
    sink(0, by: precedes)
  }

  /// Removes the elements for which `isDead` returns true, in one pass.
  ///
  /// Above 32 elements the memory is reduced too.
  @inlinable package mutating func removeAll(
    where isDead: (Element) -> Bool, by precedes: (Element, Element) -> Bool
  ) {
    if elements.count > 32 {
      elements = elements.filter { !isDead($0) }
    } else {
      elements.removeAll(where: isDead)
    }
    for index in stride(from: elements.count / 4, through: 0, by: -1) { sink(index, by: precedes) }
  }

  @inlinable mutating func sink(_ start: Int, by precedes: (Element, Element) -> Bool) {
    // In the buffer, elements that hold references are compared without a retain.
    elements.withUnsafeMutableBufferPointer { all in
      var index = start
      while true {
        let children = min(4 * index + 1, all.count)..<min(4 * index + 5, all.count)
        guard let first = children.min(by: { precedes(all[$0], all[$1]) }),
          precedes(all[first], all[index])
        else { return }
        all.swapAt(first, index)
        index = first
      }
    }
  }
}
