import Compose

/// The differences between `got` and `expected`: one line for each of the smallest parts that
/// differ.
///
/// ```
/// count: expected 2, got 3
/// names[1]: expected "b", got "c"
/// rows: 7 is missing at 3: Row(id: 7, title: "b")
/// rows[id: 8].title: expected "b", got "c"
/// ```
///
/// For Equatable values `==` decides, and their parts only show the place. Other values are compared
/// part by part, lists of elements with ids by their ids, objects by identity. Closures cannot be
/// compared and count as equal.
func differences(between got: Any, and expected: Any, atMost limit: Int = 10) -> [String] {
  var found = FoundDifferences(limit: limit)
  compare(got, expected, "", &found)
  if found.count == found.lines.count { return found.lines }
  return found.lines + ["and \(grouped(found.count - limit)) more"]
}

/// The first differences as text, and the number of all.
private struct FoundDifferences {
  let limit: Int
  private(set) var lines: [String] = []
  private(set) var count = 0

  mutating func append(_ path: String, _ text: @autoclosure () -> String) {
    count += 1
    if count <= limit { lines.append((path.isEmpty ? "" : path + ": ") + text()) }
  }
}

/// Whether the values are equal, by `==` or part by part.
func areEqual(_ got: Any, _ expected: Any) -> Bool {
  equalIfEquatable(got, expected) ?? differences(between: got, and: expected, atMost: 1).isEmpty
}

private func compare(_ got: Any, _ expected: Any, _ path: String, _ found: inout FoundDifferences) {
  let isEqual = equalIfEquatable(got, expected)
  if isEqual == true { return }
  let countBefore = found.count
  let isSettled = compareParts(got, expected, path, &found)
  // An Equatable value may be unequal although all its parts are equal.
  if !isSettled || isEqual == false && found.count == countBefore {
    found.append(path, "expected \(described(expected)), got \(described(got))")
  }
}

/// Whether the values are equal; nil when they are not Equatable.
private func equalIfEquatable(_ got: Any, _ expected: Any) -> Bool? {
  func equals<Value: Equatable>(_ got: Value) -> Bool { got == expected as? Value }
  return (got as? any Equatable).map { equals($0) }
}

/// Compares two values part by part.
///
/// Returns false when the caller must report the pair: it differs, and not in a part.
private func compareParts(
  _ got: Any, _ expected: Any, _ path: String, _ found: inout FoundDifferences
) -> Bool {
  guard type(of: got) == type(of: expected) else { return false }
  if let list = (got as? any ComparedByID)?.listChanges(from: expected) {
    compare(list, path, &found)
    return true
  }
  let (left, right) = (Mirror(reflecting: got), Mirror(reflecting: expected))
  switch left.displayStyle {
  case .class, .foreignReference: return got as AnyObject === expected as AnyObject
  case .dictionary:
    guard let got = got as? [AnyHashable: Any], let expected = expected as? [AnyHashable: Any]
    else { return false }
    for key in Set(got.keys).union(expected.keys).sorted(by: { "\($0)" < "\($1)" }) {
      comparePart(got[key], expected[key], "\(path)[\(described(key.base))]", &found)
    }
  case .set:
    guard let got = got as? Set<AnyHashable>, let expected = expected as? Set<AnyHashable>
    else { return false }
    for element in got.symmetricDifference(expected).sorted(by: { "\($0)" < "\($1)" }) {
      let problem = expected.contains(element) ? "missing" : "unexpected"
      found.append(path, "\(described(element.base)) is \(problem)")
    }
  case .collection:
    let (got, expected) = (left.children.map(\.value), right.children.map(\.value))
    for index in 0..<max(got.count, expected.count) {
      let left = index < got.count ? got[index] : nil
      let right = index < expected.count ? expected[index] : nil
      comparePart(left, right, "\(path)[\(index)]", &found)
    }
  default:
    // Values without parts: cases without a payload, values without reflection, and closures, which
    // all have the same description.
    if left.children.isEmpty, right.children.isEmpty { return "\(got)" == "\(expected)" }
    guard left.children.map(\.label) == right.children.map(\.label) else { return false }
    for (left, right) in zip(left.children, right.children) {
      let label = name(left.label)
      let separator = path.isEmpty || label.isEmpty ? "" : "."
      compare(left.value, right.value, path + separator + label, &found)
    }
  }
  return true
}

/// Compares lists of elements with ids; `list` is how the received one differs from the expected one.
private func compare(_ list: ListChanges, _ path: String, _ found: inout FoundDifferences) {
  appendAll(list.removed, "missing", path, &found)
  appendAll(list.added, "unexpected", path, &found)
  if list.moved.count == 1 {
    let move = list.moved[0]
    found.append(path, "\(described(move.id)) is at \(move.to), expected at \(move.from)")
  } else if !list.moved.isEmpty {
    found.append(
      path, "\(shortened(list.moved.map { described($0.id) })) are at unexpected positions")
  }
  for kept in list.kept {
    compare(kept.new, kept.old, "\(path)[id: \(described(kept.id))]", &found)
  }
}

private func appendAll(
  _ places: [ListChanges.Place], _ problem: String, _ path: String,
  _ found: inout FoundDifferences
) {
  if places.count == 1 {
    let (id, element) = (described(places[0].id), described(places[0].element))
    found.append(path, "\(id) is \(problem) at \(places[0].position): \(element)")
  } else if !places.isEmpty {
    found.append(path, "\(shortened(places.map { described($0.id) })) are \(problem)")
  }
}

private func comparePart(
  _ got: Any?, _ expected: Any?, _ path: String, _ found: inout FoundDifferences
) {
  if let got, let expected { return compare(got, expected, path, &found) }
  let text = { (part: Any?) in part.map(described) ?? "nothing" }
  found.append(path, "expected \(text(expected)), got \(text(got))")
}

/// The name of a part; empty for the parts of optionals and property wrappers.
private func name(_ label: String?) -> String {
  guard let label, label != "some", label != "wrappedValue" else { return "" }
  // The label of a wrapped property is `_name`; those of a tuple are `.0`, `.1`.
  return label.hasPrefix("_") || label.hasPrefix(".") ? String(label.dropFirst()) : label
}

/// A value as it is written in source code: strings in quotes, optionals without `Optional`.
func described(_ value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  if mirror.displayStyle == .optional {
    return mirror.children.first.map { described($0.value) } ?? "nil"
  }
  return value is String || value is Character
    ? String(reflecting: value) : "\(value)".withoutAddresses
}
