/// Describes a value in one line, up to a limit.
struct ValueText {
  private(set) var text = ""
  private var isCut = false
  private let limit: Int

  private init(limit: Int) { self.limit = limit }

  /// The value in one line of about `limit` characters, with `…` when it is longer.
  static func line(_ node: ValueNode, limit: Int = 200) -> String {
    var text = ValueText(limit: limit)
    text.write(node)
    return text.isCut ? text.text.cut(to: limit) : text.text
  }

  /// The value in one line; nil when it is longer than `limit`.
  static func wholeLine(_ node: ValueNode, limit: Int) -> String? {
    var text = ValueText(limit: limit)
    text.write(node)
    return text.isCut || text.text.count > limit ? nil : text.text
  }

  private mutating func write(_ node: ValueNode) {
    // UTF-8 is counted without visiting the characters.
    guard text.utf8.count <= 4 * limit else {
      isCut = true
      return
    }
    switch node.kind {
    case "null": text += "nil"
    case "string":
      let content = (node.text ?? "").replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
      text += "\"\(content.visible)\""
      if let size = node.size { text += "… of \(Figures.count(size)) bytes" }
    case "object": write(node, "(", ")", before: node.type ?? "", hasNames: true)
    case "list": write(node, "[", "]")
    case "dictionary": write(node, "[", "]", hasNames: true)
    case "case":
      let name = (node.text ?? "").visible
      if node.children?.isEmpty ?? true {
        text += name
      } else {
        write(node, "(", ")", before: name, hasNames: true)
      }
    case "redacted": text += "‹hidden›"
    case "cut": text += "‹\(node.type ?? "value"): cut, \(node.text ?? "")›".visible
    default:
      text += (node.text ?? node.kind).visible
      if node.size != nil { text += "…" }
    }
    if text.count > limit { isCut = true }
  }

  private mutating func write(
    _ node: ValueNode, _ open: String, _ close: String, before: String = "", hasNames: Bool = false
  ) {
    let children = node.children ?? []
    text += before + open
    for (index, child) in children.enumerated() where !isCut {
      if index > 0 { text += ", " }
      // Associated values without a label are named by their positions.
      let isLabel = hasNames && !child.name.isPosition
      if isLabel { text += "\(child.name.visible): " }
      write(child.value)
    }
    if let count = node.count, count > children.count {
      text += ", … \(Figures.count(count - children.count)) more"
    }
    text += close
  }
}

extension String {
  /// Whether it is the name of a value without a label, `0` or `_0`.
  fileprivate var isPosition: Bool {
    let digits = hasPrefix("_") ? dropFirst() : self[...]
    return !digits.isEmpty && digits.allSatisfy(\.isASCII) && digits.allSatisfy(\.isNumber)
  }
}
