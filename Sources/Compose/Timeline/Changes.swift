/// What is different in `new`: `count: 1 → 2`, `room.name: "a" → "b"`; empty when it is equal.
///
/// Equatable values say whether they are. Where they are not, structs, enums, tuples and arrays are
/// told by their parts; what has none, or says itself how it reads, is told as text.
package func changes(from old: Any, to new: Any, at path: String = "") -> [String] {
  if areEqual(old, new) { return [] }
  let (olds, news) = (Mirror(reflecting: old).children, Mirror(reflecting: new).children)
  let isWhole = old is any CustomStringConvertible && !(old is [Any]) || type(of: old) is AnyClass
  if !isWhole, !olds.isEmpty, olds.map(\.label) == news.map(\.label) {
    let parts = zip(olds, news).enumerated().flatMap { index, parts in
      let name = parts.0.label.map { (path.isEmpty ? "" : ".") + $0.drop { "_.".contains($0) } }
      return changes(from: parts.0.value, to: parts.1.value, at: path + (name ?? "[\(index)]"))
    }
    if !parts.isEmpty || !(old is any Equatable) { return parts }
  }
  let texts = [old, new].map { $0 is String ? String(reflecting: $0) : "\($0)" }
  if texts[0] == texts[1], !(old is any Equatable) { return [] }
  return [(path.isEmpty ? "" : path + ": ") + texts.joined(separator: " → ")]
}

/// Whether both are Equatable and equal.
func areEqual(_ old: Any, _ new: Any) -> Bool {
  func isEqual<Value: Equatable>(_ old: Value) -> Bool { new as? Value == old }
  return (old as? any Equatable).map { isEqual($0) } ?? false
}
