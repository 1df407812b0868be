/// A part of a value that has changed.
struct ValueChange: Encodable, Equatable, Sendable {
  /// The positions of an element that has another one.
  struct Move: Encodable, Equatable, Sendable {
    let from: Int
    let to: Int
  }

  /// The text of the path: `rows[id: 7].isDone`; empty for the whole value.
  let path: String
  /// The names of the children that lead to the part, as for ``ValueReader/node(of:at:from:count:)``.
  let names: [String]
  /// The old value; nil for an element that was added or has only moved.
  var old: ValueNode?
  /// The new value; nil for an element that was removed or has only moved.
  var new: ValueNode?
  /// The positions of an element that has moved.
  var moved: Move?
}

extension ValueReader {
  /// What differs between two values, such as the states before and after a step.
  ///
  /// Returns at most `limit` changes, and the number of the others.
  func changes(
    from old: Any, to new: Any, limit: Int = 200
  ) -> (changes: [ValueChange], others: Int) {
    let walk = walk(from: old, to: new, limit: limit, elementLimit: limit)
    var (changes, others) = ([ValueChange](), walk.otherCount)
    for difference in walk.found {
      // The changes share the nodes of one value, so that many of them are no larger than a few.
      var reader = self
      let share = max(1, min(walk.found.count + difference.kind.count - 1, limit))
      reader.limits.nodes = max(20, limits.nodes / share)
      reader.limits.textBytes = max(200, limits.textBytes / share)
      let room = limit - changes.count
      changes += reader.changes(of: difference, limit: room)
      others += max(0, difference.kind.count - room)
      if case .changedElements(let count) = difference.kind { others += count }
    }
    return (changes, others)
  }

  /// What differs between two values, one line each: `rows[id: 7].isDone: false → true`.
  ///
  /// Elements that are added to a list, or removed from it, are in one line. Returns at most `limit` lines,
  /// and the number of other changes.
  func changeLines(
    from old: Any, to new: Any, limit: Int = 3
  ) -> (lines: [String], others: Int) {
    let walk = walk(from: old, to: new, limit: limit, elementLimit: limit)
    var (lines, others) = ([String](), walk.otherCount)
    for difference in walk.found {
      if case .changedElements(let count) = difference.kind {
        others += count
      } else {
        lines.append(line(of: difference))
      }
    }
    return (lines, others)
  }

  private func line(of difference: ValueDifference) -> String {
    let path = ChangedPath(difference.path, self)
    let line = difference.line(at: path.text) { value in
      path.isHidden
        ? InspectorRedaction.mark : shortText(of: value, under: path.names, limit: 120)
    }
    return CutText(line, limit: 1_200).text
  }

  private func walk(from old: Any, to new: Any, limit: Int, elementLimit: Int) -> DifferenceWalk {
    var comparing = self
    (comparing.redaction, comparing.limits) = (.none, .comparison)
    var walk = DifferenceWalk(
      limit: limit, elementLimit: elementLimit, depthLimit: limits.depth, comparesPositions: true,
      lookEqual: { [comparing] in comparing.node(of: $0) == comparing.node(of: $1) },
      isWhole: { old, new, path in
        let changed = ChangedPath(path, self)
        return changed.isHidden || [old, new].contains { isHiddenPair($0, changed.names) }
      })
    if let old = old as? any RecordedPart, let new = new as? any RecordedPart {
      let (before, after) = old.json.aligned(with: new.json)
      walk.compare(old.shown(before), new.shown(after))
    } else {
      walk.compare(old, new)
    }
    return walk
  }

  /// Whether a value is a pair of a hidden name and a value, which must not be separated.
  private func isHiddenPair(_ value: Any, _ path: [String]) -> Bool {
    ValueParts.isHiddenPair(Mirror(reflecting: value), redaction, path)
  }

  private func changes(of difference: ValueDifference, limit: Int) -> [ValueChange] {
    let path = ChangedPath(difference.path, self)
    func node(_ value: Any, _ path: ChangedPath) -> ValueNode {
      if path.isHidden { return .redacted }
      let part = ValuePart(name: "", value: value)
      return ValueTree(self, part, under: path.names, from: 0, count: limits.children).root
    }
    func change(ofElement id: Any) -> (ValueChange, ChangedPath) {
      let path = ChangedPath(difference.path + [.id(id)], self)
      return (ValueChange(path: path.text, names: path.names), path)
    }
    switch difference.kind {
    case .replaced(let old, let new):
      if limit == 0 { return [] }
      return [
        ValueChange(
          path: path.text, names: path.names, old: node(old, path), new: node(new, path))
      ]
    case .removed(let places):
      return places.prefix(limit).map { place in
        var (change, path) = change(ofElement: place.id)
        change.old = node(place.element, path)
        return change
      }
    case .added(let places):
      return places.prefix(limit).map { place in
        var (change, path) = change(ofElement: place.id)
        change.new = node(place.element, path)
        return change
      }
    case .moved(let moves):
      return moves.prefix(limit).map { move in
        var (change, _) = change(ofElement: move.id)
        change.moved = ValueChange.Move(from: move.from, to: move.to)
        return change
      }
    case .changedElements: return []
    }
  }
}

extension ValueDifference.Kind {
  /// The number of changes, without those of elements that are only counted.
  fileprivate var count: Int {
    switch self {
    case .replaced: 1
    case .removed(let places), .added(let places): places.count
    case .moved(let moves): moves.count
    case .changedElements: 0
    }
  }
}

/// The path of a difference in the names of nodes.
private struct ChangedPath {
  private(set) var names: [String] = []
  private(set) var text = ""
  /// Whether a name of the path is hidden.
  private(set) var isHidden = false

  init(_ components: [ValuePathComponent], _ reader: ValueReader) {
    for component in components {
      switch component {
      case .name(let label):
        let name = ValueParts.name(label) ?? label
        append(name, reader)
        names.append(name)
      // The node of an optional is that of its value.
      case .some: break
      case .payload(let name, let isTuple):
        append(name, reader)
        if !isTuple { names.append("0") }
      case .position(let position):
        text += "[\(position)]"
        names.append("\(position)")
      case .id(let id as ListPosition):
        text += "[\(id.position)]"
        names.append("\(id.position)")
      case .id(let id):
        let name = "id: \(reader.keyText(id))"
        text += "[\(name)]"
        names.append(name)
      }
    }
  }

  private mutating func append(_ name: String, _ reader: ValueReader) {
    isHidden = isHidden || reader.redaction.hides(name, at: names)
    text += (text.isEmpty ? "" : ".") + name
  }
}
