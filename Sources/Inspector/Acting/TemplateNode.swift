/// A JSON value that a `TemplateDecoder` builds.
final class TemplateNode {
  private enum Content {
    case nothing
    case scalar(AnyJSON)
    case list([TemplateNode])
    case object([String: TemplateNode])
  }

  private var content = Content.nothing

  /// The value; nil while nothing is recorded.
  var json: AnyJSON? {
    switch content {
    case .nothing: nil
    case .scalar(let value): value
    case .list(let nodes): .array(nodes.map { $0.json ?? .null })
    case .object(let nodes): .object(nodes.mapValues { $0.json ?? .null })
    }
  }

  func set(_ value: AnyJSON) {
    content = .scalar(value)
  }

  /// Takes over what `node` has recorded.
  func set(_ node: TemplateNode) {
    content = node.content
  }

  func becomeList() {
    if case .list = content { return }
    content = .list([])
  }

  func becomeObject() {
    if case .object = content { return }
    content = .object([:])
  }

  /// The value with this name, added when it is absent.
  func member(_ name: String) -> TemplateNode {
    var members: [String: TemplateNode] = [:]
    if case .object(let nodes) = content { members = nodes }
    if let member = members[name] { return member }
    let member = TemplateNode()
    content = .nothing  // The dictionary then has one owner and is not copied.
    members[name] = member
    content = .object(members)
    return member
  }

  /// A new value at the end.
  func appendElement() -> TemplateNode {
    let element = TemplateNode()
    var elements: [TemplateNode] = []
    if case .list(let nodes) = content { elements = nodes }
    content = .nothing  // The array then has one owner and is not copied.
    elements.append(element)
    content = .list(elements)
    return element
  }

  /// The number of elements of a list.
  var count: Int {
    if case .list(let nodes) = content { nodes.count } else { 0 }
  }
}
