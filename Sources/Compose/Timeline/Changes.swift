/// The differences between two values: `count: 1 → 2`, `room.name: "a" → "b"`, `rows: removed 7`.
///
/// Empty for equal values.
///
/// Equatable values are compared with `==`. Unequal structs, enums, tuples and arrays are described
/// by their differing parts, lists of elements with ids by their ids; values without parts, and values
/// with a description of their own, as text.
package func changes(from old: Any, to new: Any, at path: String = "") -> [String] {
  if areEqual(old, new) { return [] }
  if let old = list(old), let list = list(new)?.listChanges(from: old) {
    let found = lines(of: list, at: path)
    if !found.isEmpty || !(old is any Equatable) { return found }
  }
  let oldParts = Mirror(reflecting: old).children
  let newParts = Mirror(reflecting: new).children
  let hasDescription = old is any CustomStringConvertible && !(old is [Any])
  let isWhole = hasDescription || type(of: old) is AnyClass
  if !isWhole, !oldParts.isEmpty, oldParts.map(\.label) == newParts.map(\.label) {
    let found = zip(oldParts, newParts).enumerated().flatMap { index, parts in
      let name = parts.0.label.map { (path.isEmpty ? "" : ".") + $0.drop { "_.".contains($0) } }
      return changes(from: parts.0.value, to: parts.1.value, at: path + (name ?? "[\(index)]"))
    }
    if !found.isEmpty || !(old is any Equatable) { return found }
  }
  let texts = [text(old), text(new)]
  if texts[0] == texts[1], !(old is any Equatable) { return [] }
  return [place(path) + texts.joined(separator: " → ")]
}

/// The list with ids that a value or its property wrapper has; nil for none.
private func list(_ value: Any) -> (any ComparedByID)? {
  let wrapped = (value as? any WriteMarking).flatMap {
    Mirror(reflecting: $0).children.first?.value
  }
  return (wrapped ?? value) as? any ComparedByID
}

/// The changes of a list of elements with ids: `rows: removed 7`, `rows[id: 8].title: "a" → "b"`.
private func lines(of list: ListChanges, at path: String) -> [String] {
  var lines: [String] = []
  if !list.removed.isEmpty {
    lines.append(place(path) + "removed \(shortened(list.removed.map { text($0.id) }))")
  }
  if let first = list.added.first {
    let texts =
      list.added.count == 1
      ? "\(text(first.id)) at \(first.position): \(text(first.element))"
      : shortened(list.added.map { text($0.id) })
    lines.append(place(path) + "added \(texts)")
  }
  if !list.moved.isEmpty {
    let moves = list.moved.map { "\(text($0.id)) from \($0.from) to \($0.to)" }
    lines.append(place(path) + "moved \(shortened(moves))")
  }
  var describedCount = 0
  var otherCount = 0
  for kept in list.kept {
    if describedCount == 10 {
      let isChanged =
        kept.old is any Equatable
        ? !areEqual(kept.old, kept.new) : !changes(from: kept.old, to: kept.new).isEmpty
      if isChanged { otherCount += 1 }
      continue
    }
    let found = changes(from: kept.old, to: kept.new, at: "\(path)[id: \(text(kept.id))]")
    if found.isEmpty { continue }
    describedCount += 1
    lines += found
  }
  if otherCount > 0 { lines.append(place(path) + "changed \(grouped(otherCount)) more") }
  return lines
}

/// The beginning of a line: the path of the part, if it is not the whole value.
private func place(_ path: String) -> String { path.isEmpty ? "" : path + ": " }

private func text(_ value: Any) -> String {
  value is String ? String(reflecting: value) : shortText(value).withoutAddresses
}

/// Whether both values are Equatable and equal.
func areEqual(_ old: Any, _ new: Any) -> Bool {
  func isEqual<Value: Equatable>(_ old: Value) -> Bool { new as? Value == old }
  return (old as? any Equatable).map { isEqual($0) } ?? false
}
