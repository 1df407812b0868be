/// The position of an element in a list without ids, in place of an id.
package struct ListPosition: Hashable, CustomStringConvertible {
  package let position: Int

  package var description: String { "\(position)" }
}

/// A list whose elements have no ids, but can be compared.
package protocol ComparedByPosition {
  /// The elements that this list has gained or lost compared with `old`, at their positions.
  ///
  /// Nil for another type, for lists of few numbers or texts, very long ones, and when more has changed
  /// than a few elements at one place, or at the beginning and the end.
  func elementChanges(from old: Any) -> ListChanges?
}

extension Array: ComparedByPosition where Element: Equatable {
  package func elementChanges(from old: Any) -> ListChanges? {
    let shortest =
      Element.self is any Numeric.Type || Element.self is any StringProtocol.Type ? 5 : 1
    guard let old = old as? Self, (shortest...10_000).contains(Swift.max(count, old.count)),
      abs(count - old.count) <= Self.mostChanges
    else { return nil }
    return changesAtEnds(from: old) ?? changesInMiddle(from: old)
  }

  /// The elements that have left at the beginning and come at the end, as in the last values of something.
  private func changesAtEnds(from old: Self) -> ListChanges? {
    // Equal elements may look as if all had moved.
    let replacedCount = count == old.count ? zip(self, old).count { $0 != $1 } : .max
    for leaving in 0...Self.mostChanges where leaving == 0 || old.count - leaving >= 4 {
      let kept = old.count - leaving
      let changeCount = leaving + count - kept
      if kept <= count, changeCount <= Swift.min(Self.mostChanges, replacedCount),
        old[leaving...] == self[..<kept]
      {
        return ListChanges(removed: old.places(0..<leaving), added: places(kept..<count))
      }
    }
    return nil
  }

  /// The elements that have left or come at one place.
  private func changesInMiddle(from old: Self) -> ListChanges? {
    let common = Swift.min(count, old.count)
    let start = (0..<common).first { old[$0] != self[$0] } ?? common
    let end =
      (0..<common - start).first { old[old.count - 1 - $0] != self[count - 1 - $0] }
      ?? common - start
    let (removed, added) = (start..<old.count - end, start..<count - end)
    guard removed.isEmpty || added.isEmpty else { return nil }
    return ListChanges(removed: old.places(removed), added: places(added))
  }

  private static var mostChanges: Int { 16 }

  private func places(_ positions: Range<Int>) -> [ListChanges.Place] {
    positions.map {
      ListChanges.Place(id: ListPosition(position: $0), position: $0, element: self[$0])
    }
  }
}
