/// Describes how two lists differ: one line for each equal entry, two lines for each unequal pair.
///
/// The first unequal pair is marked with `>`. Returns nil for equal lists.
///
/// ```
/// 2 entries, expected 3; the first difference is at index 1:
///     next(1) @ 210
///   > got       next(2) @ 220
///     expected  next(3) @ 220
///     got       nothing
///     expected  completed @ 250
/// ```
func differences<Entry>(
  _ got: [Entry],
  _ expected: [Entry],
  by areEqual: (Entry, Entry) -> Bool
) -> String? {
  var lines: [String] = []
  var first: Int?
  for index in 0..<max(got.count, expected.count) {
    let left = index < got.count ? got[index] : nil
    let right = index < expected.count ? expected[index] : nil
    if let left, let right, areEqual(left, right) {
      lines.append("    \(left)")
      continue
    }
    lines.append("  \(first == nil ? ">" : " ") got       \(left.map { "\($0)" } ?? "nothing")")
    lines.append("    expected  \(right.map { "\($0)" } ?? "nothing")")
    first = first ?? index
  }
  guard let first else { return nil }
  let counts = "\(got.count) \(got.count == 1 ? "entry" : "entries"), expected \(expected.count)"
  return (["\(counts); the first difference is at index \(first):"] + lines)
    .joined(separator: "\n")
}
