/// The text of a node in one line.
struct ShortValueText {
  /// The text, which ends with `…` if it is only the beginning.
  private(set) var text = ""
  /// The number of scalars that may follow; negative when the text is cut.
  private var room: Int

  /// - Parameter limit: maximum number of scalars
  init(_ node: ValueNode, limit: Int) {
    room = limit - 1
    append(node)
  }

  private mutating func append(_ node: ValueNode) {
    if room < 0 { return }
    switch node {
    case .null: append("nil")
    case .bool(let value): append("\(value)")
    case .number(let text): append(text)
    case .string(let text): append(quoted(text))
    case .value(let text, _): append(text.text + (text.size == nil ? "" : "…"))
    case .object(let type, let children):
      // The type of a tuple is written like a tuple.
      append((type.hasPrefix("(") ? "" : type) + "(")
      append(fields: children)
      append(")")
    case .list(_, let children, let count):
      append("[")
      append(elements: children, count: count) { $0.append($1.value) }
      append("]")
    case .dictionary(_, let children, let count):
      append(children.isEmpty ? "[:" : "[")
      append(elements: children, count: count) {
        $0.append($1.name + ": ")
        $0.append($1.value)
      }
      append("]")
    case .enumCase(let name, _, let children):
      append(name)
      if children.isEmpty { return }
      append("(")
      append(fields: children)
      append(")")
    case .redacted: append(InspectorRedaction.mark)
    case .cut: append("…")
    }
  }

  private mutating func append(fields children: [ValueNode.Child]) {
    for (index, child) in children.enumerated() {
      if index > 0 { append(", ") }
      if !child.name.allSatisfy(\.isNumber) { append(child.name + ": ") }
      append(child.value)
    }
  }

  private mutating func append(
    elements children: [ValueNode.Child], count: Int?,
    _ append: (inout ShortValueText, ValueNode.Child) -> Void
  ) {
    // As the texts of timelines: all of up to 10 elements, or the first three.
    let shown = count == nil ? children[...] : children.prefix(3)
    for (index, child) in shown.enumerated() {
      if index > 0 { self.append(", ") }
      append(&self, child)
    }
    if let count {
      self.append((shown.isEmpty ? "" : " and ") + "\(grouped(count - shown.count)) more")
    }
  }

  private mutating func append(_ part: String) {
    if room < 0 { return }
    let scalars = part.unicodeScalars
    guard
      let end = scalars.index(scalars.startIndex, offsetBy: room + 1, limitedBy: scalars.endIndex)
    else {
      text += part
      room -= scalars.count
      return
    }
    text += String(scalars[..<scalars.index(before: end)]) + "…"
    room = -1
  }

  private func quoted(_ text: CutText) -> String {
    var quoted = "\""
    for scalar in text.text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + (text.size == nil ? "\"" : "…\"")
  }
}
