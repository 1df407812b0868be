/// How a list differs from an older one, by the ids of its elements or by their positions.
package struct ListChanges {
  /// An element in one of the lists.
  package struct Place {
    package let id: Any
    package let position: Int
    package let element: Any
  }

  /// The elements that only the older list has, in its order.
  package private(set) var removed: [Place] = []
  /// The elements that only the newer list has, in its order.
  package private(set) var added: [Place] = []
  /// The fewest elements whose moves give the others their order.
  package private(set) var moved: [(id: Any, from: Int, to: Int)] = []
  /// The elements that both lists have, except for those that are known to be equal.
  package private(set) var kept: [(id: Any, old: Any, new: Any)] = []

  init(removed: [Place], added: [Place]) { (self.removed, self.added) = (removed, added) }

  fileprivate init(from old: [ListEntry], to new: [ListEntry]) {
    let common = min(old.count, new.count)
    let start = (0..<common).first { old[$0].id != new[$0].id } ?? common
    let (lastOld, lastNew) = (old.count - 1, new.count - 1)
    let unchangedEnd =
      (0..<common - start).first { old[lastOld - $0].id != new[lastNew - $0].id } ?? common - start
    for position in 0..<start { keep(old[position], new[position]) }
    addMiddle(old, start..<old.count - unchangedEnd, new, start..<new.count - unchangedEnd)
    for offset in (0..<unchangedEnd).reversed() {
      keep(old[lastOld - offset], new[lastNew - offset])
    }
  }

  /// Compares the parts between the elements that both lists have at their beginnings and ends.
  private mutating func addMiddle(
    _ old: [ListEntry], _ oldRange: Range<Int>, _ new: [ListEntry], _ newRange: Range<Int>
  ) {
    var oldPositions: [AnyHashable: Int] = [:]
    for position in oldRange { oldPositions[old[position].id] = position }
    var pairs: [(from: Int, to: Int)] = []
    for position in newRange {
      if let from = oldPositions.removeValue(forKey: new[position].id) {
        pairs.append((from, position))
        keep(old[from], new[position])
      } else {
        added.append(new[position].place(at: position))
      }
    }
    removed = oldPositions.values.sorted().map { old[$0].place(at: $0) }
    let inOrder = indicesOfLongestAscent(pairs.map(\.from))
    for (index, pair) in pairs.enumerated() where !inOrder.contains(index) {
      moved.append((new[pair.to].id.base, pair.from, pair.to))
    }
  }

  private mutating func keep(_ old: ListEntry, _ new: ListEntry) {
    if old.version != new.version { kept.append((new.id.base, old.element, new.element)) }
  }
}

/// An element of a list, with its id and its version; elements of the same version are equal.
private struct ListEntry {
  let id: AnyHashable
  let version: ElementVersion
  let element: Any

  func place(at position: Int) -> ListChanges.Place {
    ListChanges.Place(id: id.base, position: position, element: element)
  }
}

/// The indices of the longest part of `numbers`, not necessarily without gaps, that ascends.
private func indicesOfLongestAscent(_ numbers: [Int]) -> Set<Int> {
  // For each length of an ascent: the index of the least number that ends one.
  var ends: [Int] = []
  var predecessors: [Int?] = []
  for (index, number) in numbers.enumerated() {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
    }
    predecessors.append(low == 0 ? nil : ends[low - 1])
    if low == ends.count { ends.append(index) } else { ends[low] = index }
  }
  return Set(
    sequence(state: ends.last) { index in
      defer { index = index.flatMap { predecessors[$0] } }
      return index
    })
}

/// A list that is compared by the ids of its elements.
package protocol ComparedByID {
  /// The number of elements.
  var count: Int { get }

  /// The element at a position, which must be less than `count`.
  func element(at position: Int) -> ListChanges.Place

  /// The position of the element with this id; nil if there is none.
  func position(ofID id: Any) -> Int?

  /// How this list differs from `old`; nil unless that is a list of the same type.
  func listChanges(from old: Any) -> ListChanges?
}

extension IdentifiedArray: ComparedByID {
  package func element(at position: Int) -> ListChanges.Place {
    let element = self[position]
    return ListChanges.Place(id: element.id, position: position, element: element)
  }

  package func position(ofID id: Any) -> Int? { (id as? ID).flatMap { index(id: $0) } }

  package func listChanges(from old: Any) -> ListChanges? {
    (old as? Self).map { ListChanges(from: $0.entries { $0 }, to: entries { $0 }) }
  }

  fileprivate func entries(_ part: (Element) -> Any) -> [ListEntry] {
    var entries: [ListEntry] = []
    entries.reserveCapacity(count)
    for chunk in chunks {
      for (element, version) in zip(chunk.elements, chunk.versions) {
        guard let element else { continue }
        entries.append(
          ListEntry(id: AnyHashable(element.id), version: version, element: part(element)))
      }
    }
    return entries
  }
}

extension ScreenStack: ComparedByID {
  package func element(at position: Int) -> ListChanges.Place {
    let element = self[position]
    return ListChanges.Place(id: element.id, position: position, element: element.screen)
  }

  package func position(ofID id: Any) -> Int? { elements.position(ofID: id) }

  package func listChanges(from old: Any) -> ListChanges? {
    (old as? Self).map {
      ListChanges(from: $0.elements.entries(\.screen), to: elements.entries(\.screen))
    }
  }
}

/// The first three texts and the number of the others: `1, 2, 3 and 1,769 more`.
package func shortened(_ texts: some Collection<String>) -> String {
  // A fourth text is no longer than the count would be.
  if texts.count < 5 { return texts.joined(separator: ", ") }
  return texts.prefix(3).joined(separator: ", ") + " and \(grouped(texts.count - 3)) more"
}

/// A number with commas between thousands: `1,769`.
package func grouped(_ number: Int) -> String {
  number < 1_000
    ? "\(number)" : grouped(number / 1_000) + ",\("\(1_000 + number % 1_000)".dropFirst())"
}
