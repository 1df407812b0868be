/// An ordered collection whose elements are found by their ids: the rows of a list, the screens of a
/// stack.
///
/// ```swift
/// struct State {
///   var rows: IdentifiedArray<Row> = []
/// }
///
/// state.rows.append(Row(id: 7, title: "seven"))
/// state.rows[id: 7]?.title = "Seven"
/// state.rows[id: 7] = nil
/// ```
///
/// Each id occurs once. Finding, changing, appending and removing one element takes about the same
/// time for 10 and for 10,000 elements. A copy shares the elements with the original; a change of the
/// copy copies references to the parts, of at most 64 elements each, and the part that is changed.
///
/// The id of a stored element must not change other than by ``subscript(id:)``, as it could if the
/// elements were objects.
public struct IdentifiedArray<Element: Identifiable> {
  /// What identifies an element.
  public typealias ID = Element.ID

  /// A part of the elements.
  @usableFromInline struct Chunk {
    /// Identifies the chunk; its index changes.
    @usableFromInline let number: Int
    /// The position of the first element in the array.
    @usableFromInline var start: Int
    // An element is nil only while it is being changed, so that it has one owner then.
    @usableFromInline var elements: ContiguousArray<Element?>

    @inlinable init(number: Int, start: Int, elements: ContiguousArray<Element?>) {
      (self.number, self.start, self.elements) = (number, start, elements)
    }
  }

  /// Where an element is now.
  @usableFromInline struct Place {
    @usableFromInline var chunk: Int
    @usableFromInline var offset: Int

    @inlinable init(chunk: Int, offset: Int) { (self.chunk, self.offset) = (chunk, offset) }
  }

  /// The elements in order; no chunk is empty.
  @usableFromInline var chunks: ContiguousArray<Chunk> = []
  /// The index in `chunks` of each chunk's number; a number that is not in use has any index.
  @usableFromInline var chunkIndices: ContiguousArray<Int> = []
  @usableFromInline var unusedNumbers: ContiguousArray<Int> = []
  @usableFromInline var locations = ElementLocations<ID>()

  /// The most elements of a chunk.
  @inlinable static var capacity: Int { 64 }

  /// Creates an empty array.
  @inlinable public init() {}

  /// Creates an array of these elements.
  ///
  /// Of several elements with the same id the last one is kept, in the place of the first.
  @inlinable public init(_ elements: some Sequence<Element>) {
    for element in elements { updateOrAppend(element) }
  }

  // MARK: Finding

  /// The ids of the elements, in their order.
  @inlinable public var ids: [ID] { map(\.id) }

  /// Whether there is an element with this id.
  @inlinable public func contains(id: ID) -> Bool { locations[id] != nil }

  /// The position of the element with this id; nil if there is none.
  @inlinable public func index(id: ID) -> Int? {
    place(of: id).map { chunks[$0.chunk].start + $0.offset }
  }

  @inlinable func place(of id: ID) -> Place? {
    guard let location = locations[id] else { return nil }
    let chunk = chunkIndices[location.chunk]
    // Elements before this one may have been removed from the chunk.
    var offset = Swift.min(location.highestOffset, chunks[chunk].elements.count - 1)
    while chunks[chunk].elements[offset]?.id != id { offset -= 1 }
    return Place(chunk: chunk, offset: offset)
  }

  /// The place at a position, which may be the end of the last chunk.
  @inlinable func place(at position: Int) -> Place {
    var (low, high) = (0, chunks.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if chunks[middle].start <= position { low = middle } else { high = middle - 1 }
    }
    return Place(chunk: low, offset: position - chunks[low].start)
  }

  // MARK: Changing

  /// The element with this id; nil if there is none.
  ///
  /// Setting an element replaces the one with this id in its place, or appends it if there is none.
  /// Setting nil removes the element. An element whose id is another one than `id` moves into the
  /// place of the old element, and replaces the element with its own id, if any.
  @inlinable public subscript(id id: ID) -> Element? {
    get { place(of: id).flatMap { chunks[$0.chunk].elements[$0.offset] } }
    _modify {
      guard let place = place(of: id) else {
        var element: Element?
        defer { if let element { updateOrAppend(element) } }
        yield &element
        return
      }
      var element = chunks[place.chunk].elements[place.offset].take()
      defer { finishChange(of: id, at: place, element) }
      yield &element
    }
  }

  /// Stores the element that was taken from `place`, where its id was `id`.
  @inlinable mutating func finishChange(of id: ID, at place: Place, _ element: Element?) {
    guard let element else { return remove(id, at: place) }
    guard element.id != id else {
      chunks[place.chunk].elements[place.offset] = element
      return
    }
    locations[id] = nil
    // Found before the element is stored, whose id is the same.
    let replaced = self.place(of: element.id)
    chunks[place.chunk].elements[place.offset] = element
    let position = chunks[place.chunk].start + place.offset
    guard let replaced else {
      locations[element.id] = location(of: place)
      return
    }
    let isBefore = chunks[replaced.chunk].start + replaced.offset < position
    remove(element.id, at: replaced)
    locations[element.id] = location(of: self.place(at: isBefore ? position - 1 : position))
  }

  @inlinable func location(of place: Place) -> ElementLocation {
    ElementLocation(chunk: chunks[place.chunk].number, highestOffset: place.offset)
  }

  /// Appends an element; returns false, without a change, if there is one with its id.
  @inlinable @discardableResult public mutating func append(_ element: Element) -> Bool {
    insert(element, at: count)
  }

  /// Appends the elements whose ids are not in the array yet.
  @inlinable public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Replaces the element with the same id, which is returned, or appends the element.
  @inlinable @discardableResult public mutating func updateOrAppend(_ element: Element) -> Element?
  {
    guard let place = place(of: element.id) else {
      append(element)
      return nil
    }
    defer { chunks[place.chunk].elements[place.offset] = element }
    return chunks[place.chunk].elements[place.offset]
  }

  /// Inserts an element; returns false, without a change, if there is one with its id.
  ///
  /// - Parameter position: position of the element after the insertion, from 0 to `count`
  @inlinable @discardableResult
  public mutating func insert(_ element: Element, at position: Int) -> Bool {
    precondition(
      position >= 0 && position <= count, "IdentifiedArray: position \(position) of \(count).")
    if contains(id: element.id) { return false }
    if chunks.isEmpty
      || position == count && chunks[chunks.count - 1].elements.count == Self.capacity
    {
      insertChunk([element], at: chunks.count)
      return true
    }
    let place = place(at: position)
    chunks[place.chunk].elements.insert(element, at: place.offset)
    moveStarts(after: place.chunk, by: 1)
    if chunks[place.chunk].elements.count > Self.capacity {
      let half = ContiguousArray(chunks[place.chunk].elements[(Self.capacity / 2)...])
      chunks[place.chunk].elements.removeLast(half.count)
      insertChunk(half, at: place.chunk + 1)
    }
    noteLocations(in: place.chunk, from: place.offset)
    return true
  }

  /// Removes the element with this id, and returns it.
  @inlinable @discardableResult public mutating func remove(id: ID) -> Element? {
    guard let place = place(of: id) else { return nil }
    let removed = chunks[place.chunk].elements[place.offset].take()
    remove(id, at: place)
    return removed
  }

  /// Removes the element at this position, and returns it.
  @inlinable @discardableResult public mutating func remove(at position: Int) -> Element {
    let removed = self[position]
    remove(id: removed.id)
    return removed
  }

  /// Removes the elements for which `isRemoved` returns true.
  @inlinable public mutating func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
    for id in try filter(isRemoved).map(\.id) { remove(id: id) }
  }

  /// Removes all elements.
  @inlinable public mutating func removeAll() { self = IdentifiedArray() }

  /// Moves the element with this id.
  ///
  /// - Parameter position: its position after the move, from 0 to `count - 1`
  @inlinable public mutating func move(id: ID, to position: Int) {
    precondition(
      position >= 0 && position < count, "IdentifiedArray: position \(position) of \(count).")
    if let element = remove(id: id) { insert(element, at: position) }
  }

  /// Moves the elements at `offsets`, in their order, before the element at `position`.
  ///
  /// The parameters are those of SwiftUI's `onMove`; the positions are those before the move.
  @inlinable public mutating func move(
    fromOffsets offsets: some Sequence<Int>, toOffset position: Int
  ) {
    let offsets = Set(offsets).sorted()
    var next = position - offsets.count { $0 < position }
    let moved = offsets.map { self[$0] }
    for element in moved { remove(id: element.id) }
    for element in moved {
      insert(element, at: next)
      next += 1
    }
  }

  /// Sorts the elements; equal ones keep their order.
  @inlinable public mutating func sort(
    by areInIncreasingOrder: (Element, Element) throws -> Bool
  ) rethrows { self = IdentifiedArray(try sorted(by: areInIncreasingOrder)) }

  // MARK: Chunks

  @inlinable mutating func remove(_ id: ID, at place: Place) {
    locations[id] = nil
    chunks[place.chunk].elements.remove(at: place.offset)
    moveStarts(after: place.chunk, by: -1)
    let count = chunks[place.chunk].elements.count
    if count == 0 { return removeChunk(at: place.chunk) }
    // Chunks with few elements are joined, so that their number stays in proportion.
    let previous = place.chunk - 1
    guard count < Self.capacity / 4, previous >= 0 else { return }
    let end = chunks[previous].elements.count
    if end + count > Self.capacity / 4 * 3 { return }
    chunks[previous].elements += chunks[place.chunk].elements
    removeChunk(at: place.chunk)
    noteLocations(in: previous, from: end)
  }

  @inlinable mutating func moveStarts(after chunk: Int, by difference: Int) {
    for index in chunks.indices.dropFirst(chunk + 1) { chunks[index].start += difference }
  }

  @inlinable mutating func insertChunk(_ elements: ContiguousArray<Element?>, at index: Int) {
    let number = unusedNumbers.popLast() ?? chunkIndices.count
    if number == chunkIndices.count { chunkIndices.append(index) }
    let start = index == 0 ? 0 : chunks[index - 1].start + chunks[index - 1].elements.count
    chunks.insert(Chunk(number: number, start: start, elements: elements), at: index)
    noteIndices(from: index)
    noteLocations(in: index, from: 0)
  }

  @inlinable mutating func removeChunk(at index: Int) {
    unusedNumbers.append(chunks.remove(at: index).number)
    noteIndices(from: index)
  }

  @inlinable mutating func noteIndices(from index: Int) {
    for index in chunks.indices.dropFirst(index) { chunkIndices[chunks[index].number] = index }
  }

  @inlinable mutating func noteLocations(in chunk: Int, from offset: Int) {
    for offset in chunks[chunk].elements.indices.dropFirst(offset) {
      guard let element = chunks[chunk].elements[offset] else { continue }
      locations[element.id] = location(of: Place(chunk: chunk, offset: offset))
    }
  }
}

// MARK: - Collection

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

extension IdentifiedArray: Sendable where Element: Sendable, ID: Sendable {}

extension IdentifiedArray.Chunk: Sendable where Element: Sendable {}

extension IdentifiedArray.Iterator: Sendable where Element: Sendable {}

extension IdentifiedArray: Equatable where Element: Equatable {
  /// Whether the elements are equal and in the same order.
  ///
  /// Parts that both arrays share are not compared.
  @inlinable public static func == (first: Self, second: Self) -> Bool {
    guard first.chunks.count == second.chunks.count,
      zip(first.chunks, second.chunks).allSatisfy({ $0.start == $1.start })
    else { return first.elementsEqual(second) }
    return first.count == second.count
      && zip(first.chunks, second.chunks).allSatisfy { $0.elements == $1.elements }
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
