/// The text of a value, as string interpolation writes it, with long collections shortened:
/// `State(rows: [Row(id: 0), Row(id: 1), Row(id: 2) and 9,997 more])`.
func shortText(_ value: Any) -> String {
  hasLongCollection(value) ? ShortText.text(value) : "\(value)"
}

/// Whether a value has a collection of more than 10 elements, other than in values that describe
/// themselves.
private func hasLongCollection(_ value: Any) -> Bool {
  guard let parts = ShortText.parts(of: value) else { return false }
  if ShortText.isCollection(value, parts), parts.children.count > 10 { return true }
  return parts.children.contains { hasLongCollection($0.value) }
}

private enum ShortText {
  /// The mirror of a value that is described by its parts; nil for another one.
  static func parts(of value: Any) -> Mirror? {
    let parts = Mirror(reflecting: value)
    switch parts.displayStyle {
    case .collection, .set, .dictionary, .optional, .tuple: return parts
    case .struct, .enum:
      if value is any WriteMarking || value is any ComparedByID { return parts }
      let describesItself =
        value is any CustomStringConvertible || value is any CustomDebugStringConvertible
      return describesItself ? nil : parts
    default: return nil
    }
  }

  static func isCollection(_ value: Any, _ parts: Mirror) -> Bool {
    switch parts.displayStyle {
    case .collection, .set, .dictionary: true
    default: value is any ComparedByID
    }
  }

  static func text(_ value: Any) -> String {
    if let text = value as? String { return String(reflecting: text) }
    guard let parts = parts(of: value) else { return "\(value)" }
    if let wrapped = wrappedValue(of: value) { return text(wrapped) }
    let children = parts.children
    if isCollection(value, parts) { return "[\(elements(children, parts.displayStyle))]" }
    switch parts.displayStyle {
    case .optional: return children.first.map { "Optional(\(text($0.value)))" } ?? "nil"
    case .tuple: return "(\(fields(children)))"
    case .enum:
      guard let payload = children.first, let name = payload.label else { return "\(value)" }
      let isTuple = Mirror(reflecting: payload.value).displayStyle == .tuple
      return name + (isTuple ? text(payload.value) : "(\(text(payload.value)))")
    default: return "\(type(of: value))(\(fields(children)))"
    }
  }

  private static func elements(
    _ children: Mirror.Children, _ style: Mirror.DisplayStyle?
  ) -> String {
    let shown = children.count > 10 ? children.prefix(3) : children.prefix(10)
    let texts = shown.map { child in
      guard style == .dictionary else { return field(child) }
      return Mirror(reflecting: child.value).children.map { text($0.value) }.joined(separator: ": ")
    }
    let others = children.count - shown.count
    return texts.joined(separator: ", ") + (others > 0 ? " and \(grouped(others)) more" : "")
  }

  private static func fields(_ children: Mirror.Children) -> String {
    children.map(field).joined(separator: ", ")
  }

  private static func field(_ child: Mirror.Child) -> String {
    // The labels of a tuple without names are `.0` and `.1`.
    guard let label = child.label, !label.hasPrefix(".") else { return text(child.value) }
    return "\(label): \(text(child.value))"
  }
}
