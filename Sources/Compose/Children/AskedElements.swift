/// The elements of an ``IdentifiedArray`` whose children were asked for their state effects.
@usableFromInline struct AskedElements<ID: Hashable> {
  /// The elements of one chunk, in their order.
  @usableFromInline struct Chunk {
    @usableFromInline var ids: ContiguousArray<ID> = []
    @usableFromInline var versions: ContiguousArray<ElementVersion> = []

    @inlinable init() {}
  }

  /// The version of each chunk by its number; nil for an unknown chunk.
  @usableFromInline var versions: ContiguousArray<ElementVersion?> = []
  /// The chunks by their numbers; unknown ones are empty.
  @usableFromInline var chunks: ContiguousArray<Chunk> = []
  /// The number of known chunks.
  @usableFromInline var count = 0

  @inlinable init() {}

  /// Returns the elements that have changed since the last call, and the ids that have left a chunk.
  ///
  /// The elements are in their order. The ids may be in another chunk now.
  @inlinable mutating func update<Element: Identifiable>(_ elements: IdentifiedArray<Element>)
    -> (changed: [Element], missing: [ID]) where Element.ID == ID
  {
    var changed: [Element] = []
    var missing: [ID] = []
    var next = 0
    while let index = indexOfChangedChunk(elements.stamps, from: next) {
      next = index + 1
      let stamp = elements.stamps[index]
      while versions.count <= stamp.number {
        versions.append(nil)
        chunks.append(Chunk())
      }
      if versions[stamp.number] == nil { count += 1 }
      versions[stamp.number] = stamp.version
      Self.update(&chunks[stamp.number], elements.chunks[index], &changed, &missing)
    }
    if count > elements.stamps.count { forgetUnusedChunks(elements.stamps, &missing) }
    return (changed, missing)
  }

  /// Forgets all elements, and returns their ids.
  @inlinable mutating func removeAll() -> [ID] {
    defer { self = AskedElements() }
    return chunks.flatMap(\.ids)
  }

  @inlinable func indexOfChangedChunk(_ stamps: ContiguousArray<ChunkStamp>, from start: Int)
    -> Int?
  {
    var index = start
    while index < stamps.count {
      let stamp = stamps[index]
      if stamp.number >= versions.count || versions[stamp.number] != stamp.version { return index }
      index += 1
    }
    return nil
  }

  @usableFromInline mutating func forgetUnusedChunks(
    _ stamps: ContiguousArray<ChunkStamp>, _ missing: inout [ID]
  ) {
    let used = Set(stamps.map(\.number))
    for number in chunks.indices where versions[number] != nil && !used.contains(number) {
      missing += chunks[number].ids
      chunks[number] = Chunk()
      versions[number] = nil
    }
    count = stamps.count
  }

  @inlinable static func update<Element: Identifiable>(
    _ asked: inout Chunk, _ chunk: IdentifiedArray<Element>.Chunk,
    _ changed: inout [Element], _ missing: inout [ID]
  ) where Element.ID == ID {
    // Most often one element was changed, inserted or removed: those before and after it are the
    // same.
    let (start, end) = unchangedEnds(asked.versions, chunk.versions)
    let before = start..<(asked.versions.count - end)
    let after = start..<(chunk.versions.count - end)
    if before.count == 1, after.count == 1, let element = chunk.elements[start],
      element.id == asked.ids[start]
    {
      changed.append(element)
      asked.versions[start] = chunk.versions[start]
      return
    }
    let known = Set(asked.versions[before])
    var kept: Set<ID> = []
    var ids: ContiguousArray<ID> = []
    for offset in after {
      guard let element = chunk.elements[offset] else { continue }
      ids.append(element.id)
      if before.count > 0 { kept.insert(element.id) }
      if !known.contains(chunk.versions[offset]) { changed.append(element) }
    }
    missing += asked.ids[before].filter { !kept.contains($0) }
    asked.ids.replaceSubrange(before, with: ids)
    asked.versions.replaceSubrange(before, with: chunk.versions[after])
  }

  /// The numbers of equal versions at the start and at the end.
  @usableFromInline static func unchangedEnds(
    _ before: ContiguousArray<ElementVersion>, _ after: ContiguousArray<ElementVersion>
  ) -> (start: Int, end: Int) {
    let length = min(before.count, after.count)
    var (start, end) = (0, 0)
    while start < length, before[start] == after[start] { start += 1 }
    while start + end < length,
      before[before.count - 1 - end] == after[after.count - 1 - end]
    { end += 1 }
    return (start, end)
  }
}
