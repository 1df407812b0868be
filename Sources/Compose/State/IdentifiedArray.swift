/// An ordered collection whose elements are found by their ids, such as the rows of a list.
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
/// Each id occurs once. While the array has one owner, as in a composer that reduces in place
/// (``Composer/reducesInPlace``), finding, changing, appending and removing one element takes about
/// the same time for 10 and for 10,000 elements. A copy shares the elements with the original; the
/// first change of the copy copies the references to the parts, of up to 64 elements each, and the
/// part that is changed. `ids`, sorting, and removing many elements take longer with each element.
///
/// An element that is an object must not change its id.
public struct IdentifiedArray<Element: Identifiable> {
  /// What identifies an element.
  public typealias ID = Element.ID

  /// A part of the elements.
  @usableFromInline struct Chunk {
    /// The position of the first element in the array.
    @usableFromInline var start: Int
    // An element is nil only while it is being changed, so that it has one owner then.
    @usableFromInline var elements: ContiguousArray<Element?>
    /// The version of each element.
    @usableFromInline var versions: ContiguousArray<ElementVersion>

    @inlinable init(
      start: Int, elements: ContiguousArray<Element?>, versions: ContiguousArray<ElementVersion>
    ) { (self.start, self.elements, self.versions) = (start, elements, versions) }
  }

  /// Where an element is now.
  @usableFromInline struct Place {
    @usableFromInline var chunk: Int
    @usableFromInline var offset: Int

    @inlinable init(chunk: Int, offset: Int) { (self.chunk, self.offset) = (chunk, offset) }
  }

  /// The elements in order; no chunk is empty.
  @usableFromInline var chunks: ContiguousArray<Chunk> = []
  /// The number and the version of each chunk, in the same order.
  @usableFromInline var stamps: ContiguousArray<ChunkStamp> = []
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
    // Insertions and removals in the chunk may have moved the element.
    let end = chunks[chunk].elements.count
    var low = Swift.min(location.offset, end - 1)
    var high = low + 1
    while low >= 0 || high < end {
      if low >= 0, chunks[chunk].elements[low]?.id == id { return Place(chunk: chunk, offset: low) }
      if high < end, chunks[chunk].elements[high]?.id == id {
        return Place(chunk: chunk, offset: high)
      }
      (low, high) = (low - 1, high + 1)
    }
    return nil
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
  /// Setting nil removes the element. If the new element has another id than `id`, it takes the place
  /// of the old one, and the element that had its id before is removed.
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
    noteChange(at: place)
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
    ElementLocation(chunk: stamps[place.chunk].number, offset: place.offset)
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
    let replaced = chunks[place.chunk].elements[place.offset]
    chunks[place.chunk].elements[place.offset] = element
    noteChange(at: place)
    return replaced
  }

  /// Inserts an element; returns false, without a change, if there is one with its id.
  ///
  /// - Parameters:
  ///   - element: element to insert
  ///   - position: its position after the insertion, from 0 to `count`
  @inlinable @discardableResult
  public mutating func insert(_ element: Element, at position: Int) -> Bool {
    precondition(
      position >= 0 && position <= count, "IdentifiedArray: position \(position) of \(count).")
    if contains(id: element.id) { return false }
    if chunks.isEmpty
      || position == count && chunks[chunks.count - 1].elements.count == Self.capacity
    {
      insertChunk([element], [.next()], at: chunks.count)
      return true
    }
    let place = place(at: position)
    chunks[place.chunk].elements.insert(element, at: place.offset)
    chunks[place.chunk].versions.insert(.next(), at: place.offset)
    stamps[place.chunk].version = chunks[place.chunk].versions[place.offset]
    moveStarts(after: place.chunk, by: 1)
    if chunks[place.chunk].elements.count > Self.capacity {
      let half = Self.capacity / 2
      let elements = ContiguousArray(chunks[place.chunk].elements[half...])
      let versions = ContiguousArray(chunks[place.chunk].versions[half...])
      chunks[place.chunk].elements.removeLast(elements.count)
      chunks[place.chunk].versions.removeLast(versions.count)
      insertChunk(elements, versions, at: place.chunk + 1)
    }
    locations[element.id] = location(of: self.place(at: position))
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

  /// Removes the elements at these positions, which are those before the removal.
  ///
  /// The parameter is that of SwiftUI's `onDelete`.
  @inlinable public mutating func remove(atOffsets offsets: some Sequence<Int>) {
    for id in Set(offsets).map({ self[$0].id }) { remove(id: id) }
  }

  /// Moves the element with this id, if there is one.
  ///
  /// - Parameters:
  ///   - id: id of the element
  ///   - position: its position after the move; at the end if it is beyond that
  @inlinable public mutating func move(id: ID, to position: Int) {
    precondition(position >= 0, "IdentifiedArray: position \(position) is negative.")
    if let element = remove(id: id) { insert(element, at: Swift.min(position, count)) }
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
    chunks[place.chunk].versions.remove(at: place.offset)
    stamps[place.chunk].version = .next()
    moveStarts(after: place.chunk, by: -1)
    let count = chunks[place.chunk].elements.count
    if count == 0 { return removeChunk(at: place.chunk) }
    // Chunks with few elements are joined, so that their number stays in proportion.
    if count >= Self.capacity / 4 { return }
    if !join(place.chunk - 1) { join(place.chunk) }
  }

  /// Joins a chunk and the following one, unless together they have many elements.
  @inlinable @discardableResult mutating func join(_ index: Int) -> Bool {
    guard index >= 0, index + 1 < chunks.count else { return false }
    let end = chunks[index].elements.count
    if end + chunks[index + 1].elements.count > Self.capacity / 4 * 3 { return false }
    chunks[index].elements += chunks[index + 1].elements
    chunks[index].versions += chunks[index + 1].versions
    stamps[index].version = .next()
    removeChunk(at: index + 1)
    noteLocations(in: index, from: end)
    return true
  }

  @inlinable mutating func noteChange(at place: Place) {
    let version = ElementVersion.next()
    chunks[place.chunk].versions[place.offset] = version
    stamps[place.chunk].version = version
  }

  @inlinable mutating func moveStarts(after chunk: Int, by difference: Int) {
    for index in chunks.indices.dropFirst(chunk + 1) { chunks[index].start += difference }
  }

  @inlinable mutating func insertChunk(
    _ elements: ContiguousArray<Element?>, _ versions: ContiguousArray<ElementVersion>,
    at index: Int
  ) {
    let number = unusedNumbers.popLast() ?? chunkIndices.count
    if number == chunkIndices.count { chunkIndices.append(index) }
    let start = index == 0 ? 0 : chunks[index - 1].start + chunks[index - 1].elements.count
    chunks.insert(Chunk(start: start, elements: elements, versions: versions), at: index)
    stamps.insert(ChunkStamp(number: number, version: .next()), at: index)
    noteIndices(from: index)
    noteLocations(in: index, from: 0)
  }

  @inlinable mutating func removeChunk(at index: Int) {
    chunks.remove(at: index)
    unusedNumbers.append(stamps.remove(at: index).number)
    noteIndices(from: index)
  }

  @inlinable mutating func noteIndices(from index: Int) {
    for index in chunks.indices.dropFirst(index) { chunkIndices[stamps[index].number] = index }
  }

  @inlinable mutating func noteLocations(in chunk: Int, from offset: Int) {
    for offset in chunks[chunk].elements.indices.dropFirst(offset) {
      guard let element = chunks[chunk].elements[offset] else { continue }
      locations[element.id] = location(of: Place(chunk: chunk, offset: offset))
    }
  }
}

extension IdentifiedArray: Sendable where Element: Sendable, ID: Sendable {}

extension IdentifiedArray.Chunk: Sendable where Element: Sendable {}
