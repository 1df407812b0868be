/// The differences between two values: `count: 1 → 2`, `room.name: "a" → "b"`, `rows: removed 7`.
///
/// Empty for equal values; see ``DifferenceWalk/compare(_:_:)``.
package func changes(from old: Any, to new: Any) -> [String] {
  var walk = DifferenceWalk(lookEqual: { text($0) == text($1) })
  walk.compare(old, new)
  return walk.found.map { $0.line(at: place($0.path), text) }
}

/// The text of a path: `rows[id: 8].title`.
private func place(_ path: [ValuePathComponent]) -> String {
  path.reduce(into: "") { place, component in
    switch component {
    case .name(let name), .payload(of: let name, _): place += (place.isEmpty ? "" : ".") + name
    case .some: place += place.isEmpty ? "some" : ".some"
    case .position(let position): place += "[\(position)]"
    case .id(let id): place += "[id: \(text(id))]"
    }
  }
}

private func text(_ value: Any) -> String {
  value is String ? String(reflecting: value) : shortText(value).withoutAddresses
}
