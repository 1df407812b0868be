/// JSON whose parts are found by the names of a change.
protocol JSONParts {
  static func object(_ members: [String: Self]) -> Self
  static func array(_ elements: [Self]) -> Self
  static func string(_ text: String) -> Self

  /// The members of an object; nil for another value.
  var members: [String: Self]? { get }
  /// The elements of an array; nil for another value.
  var elements: [Self]? { get }
  /// The text of a string; nil for another value.
  var string: String? { get }
  /// The text of a value as an id.
  var idText: String? { get }
}

extension JSONParts {
  /// The part to which the names lead; nil for none.
  func value(at path: [String]) -> Self? {
    var value = self
    var rest = path[...]
    while let name = rest.first {
      if let members = value.members {
        guard let (key, following) = value.place(of: name, in: rest), let part = members[key] else {
          return nil
        }
        (value, rest) = (part, following)
      } else if let elements = value.elements {
        guard let position = value.position(of: name) else { return nil }
        (value, rest) = (elements[position], rest.dropFirst())
      } else {
        return nil
      }
    }
    return value
  }

  /// The key of an object that leads to a part, and the names that follow it; nil for none.
  ///
  /// Associated values without a label are `_0`, `_1`, and all have the name of the case around them.
  func place(
    of name: String, in rest: ArraySlice<String>
  ) -> (key: String, following: ArraySlice<String>)? {
    guard let members else { return nil }
    if members[name] != nil { return (name, rest.dropFirst()) }
    if members["_" + name] != nil { return ("_" + name, rest.dropFirst()) }
    if members.count == 1, let only = members.first, only.value.place(of: name, in: rest) != nil {
      return (only.key, rest)
    }
    return nil
  }

  /// The position of an element of an array; nil for none.
  func position(of name: String) -> Int? {
    guard let elements else { return nil }
    let position =
      elements.firstIndex { element in
        element.members?["id"]?.idText.map { name == "id: \($0)" } ?? false
      } ?? Int(name)
    return position.flatMap { elements.indices.contains($0) ? $0 : nil }
  }
}

extension AnyJSON: JSONParts {
  var members: [String: AnyJSON]? { if case .object(let members) = self { members } else { nil } }
  var elements: [AnyJSON]? { if case .array(let elements) = self { elements } else { nil } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var idText: String? { string ?? (try? line) }
}

extension JSONTree: JSONParts {
  var members: [String: JSONTree]? { if case .object(let members) = self { members } else { nil } }
  var elements: [JSONTree]? { if case .array(let elements) = self { elements } else { nil } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var idText: String? { string ?? line }
}
