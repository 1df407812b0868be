import Compose

/// The differences between `got` and `expected`: one line for each of the smallest parts that
/// differ.
///
/// ```
/// count: expected 2, got 3
/// rows[1].title: expected "b", got "c"
/// ```
///
/// For Equatable values `==` decides, and their parts only show the place. Other values are compared
/// part by part, objects by identity. Closures cannot be compared and count as equal.
func differences(between got: Any, and expected: Any, atMost limit: Int = 10) -> [String] {
  var found: [String] = []
  compare(got, expected, "", &found)
  guard found.count > limit else { return found }
  return found.prefix(limit) + ["and \(found.count - limit) more"]
}

/// Whether the values are equal, by `==` or part by part.
func areEqual(_ got: Any, _ expected: Any) -> Bool {
  equalIfEquatable(got, expected) ?? differences(between: got, and: expected).isEmpty
}

private func compare(_ got: Any, _ expected: Any, _ path: String, _ found: inout [String]) {
  let isEqual = equalIfEquatable(got, expected)
  if isEqual == true { return }
  let countBefore = found.count
  let isSettled = compareParts(got, expected, path, &found)
  // An Equatable value may be unequal although all its parts are equal.
  if !isSettled || isEqual == false && found.count == countBefore {
    found.append("\(place(path))expected \(described(expected)), got \(described(got))")
  }
}

/// Whether the values are equal; nil when they are not Equatable.
private func equalIfEquatable(_ got: Any, _ expected: Any) -> Bool? {
  func equals<Value: Equatable>(_ got: Value) -> Bool { got == expected as? Value }
  return (got as? any Equatable).map { equals($0) }
}

/// The beginning of a line: the path of the part, if it is not the whole value.
private func place(_ path: String) -> String { path.isEmpty ? "" : "\(path): " }

/// Compares two values part by part.
///
/// Returns false when the caller must report the pair: it differs, and not in a part.
private func compareParts(
  _ got: Any, _ expected: Any, _ path: String, _ found: inout [String]
) -> Bool {
  guard type(of: got) == type(of: expected) else { return false }
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
      let isMissing = expected.contains(element)
      let problem = isMissing ? "missing" : "unexpected"
      found.append("\(place(path))\(described(element.base)) is \(problem)")
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

private func comparePart(_ got: Any?, _ expected: Any?, _ path: String, _ found: inout [String]) {
  if let got, let expected { return compare(got, expected, path, &found) }
  let (left, right) = (got.map(described) ?? "nothing", expected.map(described) ?? "nothing")
  found.append("\(place(path))expected \(right), got \(left)")
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
  return value is String || value is Character ? String(reflecting: value) : "\(value)".withoutAddresses
}
