extension IdentifiedArray: RandomAccessCollection {
  /// 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of elements.
  @inlinable public var endIndex: Int { count }

  /// The number of elements.
  @inlinable public var count: Int {
    chunks.last.map { $0.start + $0.elements.count } ?? 0
  }

  /// The element at this position; use ``subscript(id:)`` to change it.
  @inlinable public subscript(position: Int) -> Element {
    precondition(
      position >= 0 && position < count, "IdentifiedArray: position \(position) of \(count).")
    let place = place(at: position)
    guard let element = chunks[place.chunk].elements[place.offset] else {
      preconditionFailure("IdentifiedArray: an element is read while it is changed.")
    }
    return element
  }

  /// Returns an iterator over the elements.
  @inlinable public func makeIterator() -> Iterator { Iterator(chunks) }

  /// Iterates over the elements in their order.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let chunks: ContiguousArray<Chunk>
    @usableFromInline var chunk = 0
    @usableFromInline var offset = 0

    @inlinable init(_ chunks: ContiguousArray<Chunk>) { self.chunks = chunks }

    /// Returns the next element; nil after the last one.
    @inlinable public mutating func next() -> Element? {
      guard chunk < chunks.count else { return nil }
      defer {
        offset += 1
        if offset == chunks[chunk].elements.count { (chunk, offset) = (chunk + 1, 0) }
      }
      return chunks[chunk].elements[offset]
    }
  }
}

extension IdentifiedArray: ExpressibleByArrayLiteral {
  /// Creates an array of these elements, like ``init(_:)``.
  @inlinable public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension IdentifiedArray.Iterator: Sendable where Element: Sendable {}

extension IdentifiedArray: Equatable where Element: Equatable {
  /// Whether the elements are equal and in the same order.
  ///
  /// Parts that both arrays share at the same positions are not compared.
  @inlinable public static func == (first: Self, second: Self) -> Bool {
    guard first.count == second.count else { return false }
    var position = 0
    while position < first.count {
      let (one, other) = (first.place(at: position), second.place(at: position))
      let (elements, others) = (
        first.chunks[one.chunk].elements[one.offset...],
        second.chunks[other.chunk].elements[other.offset...]
      )
      let length = Swift.min(elements.count, others.count)
      let areShared =
        one.offset == other.offset
        && first.stamps[one.chunk].version == second.stamps[other.chunk].version
      if !areShared, elements.prefix(length) != others.prefix(length) { return false }
      position += length
    }
    return true
  }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  /// Hashes the elements in their order.
  @inlinable public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension IdentifiedArray: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

extension IdentifiedArray: Decodable where Element: Decodable {
  /// Decodes an array of elements.
  ///
  /// - Throws: `DecodingError.dataCorrupted` when two elements have the same id
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd {
      let element = try container.decode(Element.self)
      guard append(element) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "Two elements have the id \(element.id).")
      }
    }
  }
}

extension IdentifiedArray: CustomStringConvertible, CustomReflectable {
  /// The elements, like those of an array.
  public var description: String { "\(Array(self))" }

  /// The elements, like those of an array.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: self, displayStyle: .collection)
  }
}
