/// An enum inside a template, with its case.
struct TemplateChoice: Encodable, Equatable {
  /// The keys of JSON objects that lead to it.
  let path: [String]
  let name: String
  let names: [String]
}

/// A JSON value that a `TemplateDecoder` builds.
final class TemplateNode {
  private enum Content {
    case nothing
    case scalar(AnyJSON)
    case list([TemplateNode])
    case object([String: TemplateNode])
  }

  private var content = Content.nothing
  /// The cases of the enum that this is; nil for another value.
  private var choice: (name: String, names: [String])?

  /// The value; nil while nothing is recorded.
  var json: AnyJSON? {
    switch content {
    case .nothing: nil
    case .scalar(let value): value
    case .list(let nodes): .array(nodes.map { $0.json ?? .null })
    case .object(let nodes): .object(nodes.mapValues { $0.json ?? .null })
    }
  }

  /// The value and the enums inside it; nil while nothing is recorded.
  var template: Template? { json.map { Template(action: $0, choices: choices(at: [])) } }

  private func choices(at path: [String]) -> [TemplateChoice] {
    let own = choice.map { [TemplateChoice(path: path, name: $0.name, names: $0.names)] } ?? []
    guard case .object(let members) = content else { return own }
    return own
      + members.sorted { $0.key < $1.key }.flatMap { $0.value.choices(at: path + [$0.key]) }
  }

  func set(_ value: AnyJSON) {
    content = .scalar(value)
  }

  /// Takes over what `node` has recorded: an enum with this case, of which a client may choose among `names`.
  func set(_ node: TemplateNode, case name: String, of names: [String]) {
    content = node.content
    choice = names.isEmpty ? nil : (name, names)
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
