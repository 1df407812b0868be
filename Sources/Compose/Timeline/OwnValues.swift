#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What to do when two states differ in ids or dates that a reducer may have made by itself, in a
/// sentence; nil when they differ in nothing of that kind.
///
/// An id that both values have, at different places, was made by neither.
package func adviceOnOwnValues(_ old: Any, _ new: Any) -> String? {
  var walk = DifferenceWalk(lookEqual: { "\($0)" == "\($1)" })
  walk.compare(old, new)
  // A list whose elements have other ids has lost some and got others.
  let removed = walk.found.flatMap(\.removedIDs)
  let added = walk.found.flatMap(\.addedIDs)
  let pairs = walk.found.compactMap(\.replacement) + zip(removed, added).map { ($0, $1) }
  if pairs.contains(where: { $0 is Date && $1 is Date }) { return advice("A date", "now") }
  let ids = pairs.compactMap { old, new in
    idText(old).flatMap { old in idText(new).map { (old, $0) } }
  }
  guard !ids.isEmpty else { return nil }
  let texts = (old: "\(old)", new: "\(new)")
  let isOwn = ids.contains { !texts.old.contains($1) && !texts.new.contains($0) }
  return isOwn ? advice("An id", "uuid") : nil
}

private func advice(_ value: String, _ name: String) -> String {
  "\(value) that a reducer makes by itself is another one in each replay. "
    + "Read Dependencies.current.\(name) in the reducer, and record again."
}

/// The text of an id; nil for another value.
private func idText(_ value: Any) -> String? {
  switch value {
  case let id as UUID: id.uuidString
  case let text as String: UUID(uuidString: text) == nil ? nil : text
  default: nil
  }
}

extension ValueDifference {
  /// The old and the new value of a part.
  fileprivate var replacement: (old: Any, new: Any)? {
    if case .replaced(let old, let new) = kind { (old, new) } else { nil }
  }

  fileprivate var removedIDs: [Any] {
    if case .removed(let places) = kind { places.map(\.id) } else { [] }
  }

  fileprivate var addedIDs: [Any] {
    if case .added(let places) = kind { places.map(\.id) } else { [] }
  }
}
