/// One of the smallest differences between two values.
package struct ValueDifference {
  /// What differs at a path.
  package enum Kind {
    /// A part has another value.
    case replaced(old: Any, new: Any)
    /// Elements that only the old list has.
    case removed([ListChanges.Place])
    /// Elements that only the new list has.
    case added([ListChanges.Place])
    /// Elements that both lists have in another order.
    case moved([(id: Any, from: Int, to: Int)])
    /// The number of other elements of a list that differ.
    case changedElements(Int)
  }

  /// The path of the differing part; empty for the whole value.
  package let path: [ValuePathComponent]
  /// What differs.
  package let kind: Kind

  /// The difference in one line: `count: 1 → 2`, `rows: removed 7`.
  ///
  /// - Parameters:
  ///   - place: text of the path; empty for the whole value
  ///   - text: returns the text of a part, an element or an id
  package func line(at place: String, _ text: (Any) -> String) -> String {
    (place.isEmpty ? "" : place + ": ") + line(text)
  }

  private func line(_ text: (Any) -> String) -> String {
    switch kind {
    case .replaced(let old, let new): return "\(text(old)) → \(text(new))"
    case .removed(let places) where places[0].id is ListPosition:
      return "removed " + line(ofElements: places, text)
    case .removed(let places): return "removed \(shortened(places.map { text($0.id) }))"
    case .added(let places) where places[0].id is ListPosition:
      return "added " + line(ofElements: places, text)
    case .added(let places) where places.count == 1:
      let place = places[0]
      return "added \(text(place.id)) at \(place.position): \(text(place.element))"
    case .added(let places): return "added \(shortened(places.map { text($0.id) }))"
    case .moved(let moves):
      let texts = moves.map { "\(text($0.id)) from \($0.from) to \($0.to)" }
      return "moved \(shortened(texts))"
    case .changedElements(let count): return "changed \(grouped(count)) more"
    }
  }

  /// Elements without ids that follow each other: `at 3: Row(…)`, `3 at 7`.
  private func line(ofElements places: [ListChanges.Place], _ text: (Any) -> String) -> String {
    let position = places[0].position
    return places.count == 1
      ? "at \(position): \(text(places[0].element))" : "\(grouped(places.count)) at \(position)"
  }
}

/// A step on the way from a value to one of its parts.
package enum ValuePathComponent {
  /// A stored property, or an element of a tuple, by its label.
  case name(String)
  /// The value of an optional that is not nil.
  case some
  /// The associated values of an enum's case; a tuple if there are several, or one with a label.
  case payload(of: String, isTuple: Bool)
  /// An element by its position.
  case position(Int)
  /// An element by its id.
  case id(Any)
}

/// Finds the differences between two values.
package struct DifferenceWalk {
  /// The differences that were found, in the order of the parts.
  package private(set) var found: [ValueDifference] = []
  /// The number of differences that were found and are not in ``found``.
  package private(set) var otherCount = 0

  /// The most differences that are kept; the others are counted.
  let limit: Int
  /// The most differing elements of a list that are described; the others are counted.
  let elementLimit: Int
  /// The longest path.
  let depthLimit: Int
  /// Whether arrays without ids are compared by what they have gained or lost: for a list of many steps,
  /// not for a failure, which shows the values.
  let comparesPositions: Bool
  /// Whether two values look the same, which are not Equatable and have no parts to compare.
  let lookEqual: (_ old: Any, _ new: Any) -> Bool
  /// Whether a pair of unequal values differs as a whole, whatever its parts are.
  let isWhole: (_ old: Any, _ new: Any, _ path: [ValuePathComponent]) -> Bool

  private var path: [ValuePathComponent] = []

  /// A walk without a difference yet.
  package init(
    limit: Int = .max, elementLimit: Int = 10, depthLimit: Int = .max,
    comparesPositions: Bool = false,
    lookEqual: @escaping (_ old: Any, _ new: Any) -> Bool,
    isWhole: @escaping (_ old: Any, _ new: Any, _ path: [ValuePathComponent]) -> Bool = { _, _, _ in
      false
    }
  ) {
    (self.limit, self.elementLimit, self.depthLimit) = (limit, elementLimit, depthLimit)
    (self.comparesPositions, self.lookEqual, self.isWhole) = (comparesPositions, lookEqual, isWhole)
  }

  /// Adds the differences between two values.
  ///
  /// Equatable values are compared with `==`. Unequal structs, enums, tuples and arrays are compared
  /// part by part, lists of elements with ids by their ids; values without parts, and values with a
  /// description of their own, as wholes. A property wrapper of the state is its value.
  package mutating func compare(_ old: Any, _ new: Any) {
    if areEqual(old, new) { return }
    if let old = wrappedValue(of: old), let new = wrappedValue(of: new) {
      return compare(old, new)
    }
    if path.count < depthLimit, !isWhole(old, new, path), compareParts(old, new) { return }
    if !(old is any Equatable), lookEqual(old, new) { return }
    append(.replaced(old: old, new: new))
  }

  /// Compares the parts; returns false when the values differ, and not in their parts.
  private mutating func compareParts(_ old: Any, _ new: Any) -> Bool {
    let countBefore = count
    let isSettled = !(old is any Equatable)
    if let old = old as? any ComparedByID,
      let changes = (new as? any ComparedByID)?.listChanges(from: old)
    {
      compare(changes)
      if isSettled || count > countBefore { return true }
    }
    if comparesPositions, let changes = (new as? any ComparedByPosition)?.elementChanges(from: old)
    {
      compare(changes)
      return true
    }
    let hasDescription = old is any CustomStringConvertible && !(old is [Any])
    if hasDescription || type(of: old) is AnyClass { return false }
    let parts = Mirror(reflecting: old)
    let newParts = Mirror(reflecting: new).children
    if parts.children.isEmpty || parts.children.map(\.label) != newParts.map(\.label) {
      return false
    }
    for (index, (old, new)) in zip(parts.children, newParts).enumerated() {
      path.append(component(old, index, parts.displayStyle))
      compare(old.value, new.value)
      path.removeLast()
    }
    return isSettled || count > countBefore
  }

  private func component(
    _ part: Mirror.Child, _ index: Int, _ style: Mirror.DisplayStyle?
  ) -> ValuePathComponent {
    // The label of a wrapped property is `_name`; those of a tuple are `.0`, `.1`.
    guard let name = part.label?.drop(while: { "_.".contains($0) }) else { return .position(index) }
    switch style {
    case .optional: return .some
    case .enum:
      let isTuple = Mirror(reflecting: part.value).displayStyle == .tuple
      return .payload(of: String(name), isTuple: isTuple)
    default: return .name(String(name))
    }
  }

  private mutating func compare(_ list: ListChanges) {
    if !list.removed.isEmpty { append(.removed(list.removed)) }
    if !list.added.isEmpty { append(.added(list.added)) }
    if !list.moved.isEmpty { append(.moved(list.moved)) }
    var (describedCount, otherElements) = (0, 0)
    for kept in list.kept {
      path.append(.id(kept.id))
      if describedCount == elementLimit {
        if differ(kept.old, kept.new) { otherElements += 1 }
      } else {
        let countBefore = count
        compare(kept.old, kept.new)
        if count > countBefore { describedCount += 1 }
      }
      path.removeLast()
    }
    if otherElements > 0 { append(.changedElements(otherElements)) }
  }

  /// Whether two values at the current path differ.
  private func differ(_ old: Any, _ new: Any) -> Bool {
    if old is any Equatable { return !areEqual(old, new) }
    var walk = DifferenceWalk(
      limit: 0, elementLimit: elementLimit, depthLimit: depthLimit,
      comparesPositions: comparesPositions, lookEqual: lookEqual, isWhole: isWhole)
    walk.path = path
    walk.compare(old, new)
    return walk.otherCount > 0
  }

  private var count: Int { found.count + otherCount }

  private mutating func append(_ kind: ValueDifference.Kind) {
    guard found.count < limit else {
      if case .changedElements(let count) = kind { otherCount += count } else { otherCount += 1 }
      return
    }
    found.append(ValueDifference(path: path, kind: kind))
  }
}

/// Whether both values are Equatable and equal.
func areEqual(_ old: Any, _ new: Any) -> Bool {
  func isEqual<Value: Equatable>(_ old: Value) -> Bool { new as? Value == old }
  return (old as? any Equatable).map { isEqual($0) } ?? false
}
