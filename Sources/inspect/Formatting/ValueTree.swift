/// Describes a value in lines, one for each part that does not fit in the line of its owner.
enum ValueTree {
  /// The longest value that stays in one line.
  private static let lineLimit = 72

  static func lines(_ node: ValueNode, name: String? = nil) -> [String] {
    var lines: [String] = []
    append(node, name: name, indent: "", to: &lines)
    return lines
  }

  private static func append(
    _ node: ValueNode, name: String?, indent: String, to lines: inout [String]
  ) {
    let head = indent + (name.map { "\($0.visible): " } ?? "")
    let children = node.children ?? []
    if let line = ValueText.wholeLine(node, limit: lineLimit) {
      return lines.append(head + line)
    }
    if children.isEmpty { return lines.append(head + ValueText.line(node, limit: 10_000)) }
    lines.append(head + title(node))
    for child in children {
      append(child.value, name: child.name, indent: indent + "  ", to: &lines)
    }
    if let count = node.count, count > children.count {
      lines.append("\(indent)  … \(Figures.count(count)) in all")
    }
  }

  private static func title(_ node: ValueNode) -> String {
    let type = (node.type ?? node.kind).visible
    return switch node.kind {
    case "list", "dictionary":
      "\(type), \(Figures.count(node.count ?? node.children?.count ?? 0))"
    case "case": (node.text ?? "").visible
    default: type
    }
  }
}
