import Foundation

/// One action, or a group, as text.
func named<Action>(_ actions: [Action]) -> String {
  guard actions.count != 1 else { return described(actions[0]) }
  if actions.isEmpty { return "an earlier action" }
  return "group(\(actions.map(described).joined(separator: ", ")))"
}

/// A time as text: `1.5 s`.
func seconds(_ time: TimeInterval) -> String {
  let text = "\(time)"
  return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
}

/// A headline with indented lines below it.
func listed(_ headline: String, _ lines: [String]) -> String {
  ([headline] + lines.map { "    \($0)" }).joined(separator: "\n")
}
