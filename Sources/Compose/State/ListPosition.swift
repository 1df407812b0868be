/// The position of an element in a list without ids, in place of an id.
package struct ListPosition: Hashable, CustomStringConvertible {
  package let position: Int

  package var description: String { "\(position)" }
}

/// A list whose elements have no ids, but can be compared.
package protocol ComparedByPosition {
  /// The elements that this list has gained or lost compared with `old`, at their positions.
  ///
  /// Nil for another type, for lists of few numbers or texts, very long ones, and when more has changed than a few
  /// elements at one place, or at the beginning and the end.
  func elementChanges(from old: Any) -> ListChanges?
}

extension Array: ComparedByPosition where Element: Equatable {
  package func elementChanges(from old: Any) -> ListChanges? {
    let shortest =
      Element.self is any Numeric.Type || Element.self is any StringProtocol.Type ? 5 : 1
    guard let old = old as? Self, (shortest...10_000).contains(Swift.max(count, old.count)),
      abs(count - old.count) <= Self.mostChanges
    else { return nil }
    // The last values of something, of which it keeps some.
    for leaving in 0...Self.mostChanges where leaving == 0 || old.count - leaving >= 4 {
      let kept = old.count - leaving
      let isFew = leaving + count - kept <= Self.mostChanges
      if kept <= count, isFew, old[leaving...] == self[..<kept] {
        return ListChanges(removed: old.places(0..<leaving), added: places(kept..<count))
      }
    }
    let common = Swift.min(count, old.count)
    let start = (0..<common).first { old[$0] != self[$0] } ?? common
    let end = (0..<common - start).first { old[old.count - 1 - $0] != self[count - 1 - $0] }
    let (removed, added) = (
      start..<old.count - (end ?? common - start), start..<count - (end ?? common - start)
    )
    guard removed.isEmpty || added.isEmpty else { return nil }
    return ListChanges(removed: old.places(removed), added: places(added))
  }

  private static var mostChanges: Int { 10 }

  private func places(_ positions: Range<Int>) -> [ListChanges.Place] {
    positions.map {
      ListChanges.Place(id: ListPosition(position: $0), position: $0, element: self[$0])
    }
  }
}
