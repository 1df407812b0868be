/// The differences between two values: `count: 1 → 2`, `room.name: "a" → "b"`.
///
/// Empty for equal values.
///
/// Equatable values are compared with `==`. Unequal structs, enums, tuples and arrays are described
/// by their differing parts; values without parts, and values with a description of their own, as
/// text.
package func changes(from old: Any, to new: Any, at path: String = "") -> [String] {
  if areEqual(old, new) { return [] }
  let oldParts = Mirror(reflecting: old).children
  let newParts = Mirror(reflecting: new).children
  let hasDescription = old is any CustomStringConvertible && !(old is [Any])
  let isWhole = hasDescription && !(old is any ArrayOfParts) || type(of: old) is AnyClass
  if !isWhole, !oldParts.isEmpty, oldParts.map(\.label) == newParts.map(\.label) {
    let found = zip(oldParts, newParts).enumerated().flatMap { index, parts in
      let name = parts.0.label.map { (path.isEmpty ? "" : ".") + $0.drop { "_.".contains($0) } }
      return changes(from: parts.0.value, to: parts.1.value, at: path + (name ?? "[\(index)]"))
    }
    if !found.isEmpty || !(old is any Equatable) { return found }
  }
  let texts = [old, new].map { $0 is String ? String(reflecting: $0) : "\($0)".withoutAddresses }
  if texts[0] == texts[1], !(old is any Equatable) { return [] }
  return [(path.isEmpty ? "" : path + ": ") + texts.joined(separator: " → ")]
}

/// A collection that is described like an array, and compared by its elements.
protocol ArrayOfParts {}

extension IdentifiedArray: ArrayOfParts {}

/// Whether both values are Equatable and equal.
func areEqual(_ old: Any, _ new: Any) -> Bool {
  func isEqual<Value: Equatable>(_ old: Value) -> Bool { new as? Value == old }
  return (old as? any Equatable).map { isEqual($0) } ?? false
}
