/// The right value of one part of a state, in place of a recorded one.
struct Correction: Decodable, Equatable, Sendable {
  /// The names that lead to the part, as in a change.
  let path: [String]
  let json: AnyJSON

  /// The text of the path: `rows[id: 7].isDone`.
  var place: String {
    path.reduce(into: "") { place, name in
      let isElement = name.hasPrefix("id: ") || name.allSatisfy(\.isNumber)
      if isElement { place += "[\(name)]" } else { place += place.isEmpty ? name : "." + name }
    }
  }

  /// The state with the right value.
  ///
  /// A property that is nil has no value in JSON: one is added to the object, and the caller checks
  /// that the type of the state has it.
  ///
  /// - Throws: ``RecordingError/noValue(path:)`` and ``RecordingError/sameValue(path:json:)``.
  func applied(to state: AnyJSON) throws(RecordingError) -> AnyJSON {
    if path.isEmpty { throw .noValue(path: "the empty path") }
    if let json = try? json.line, state.value(at: path) == self.json {
      throw .sameValue(path: place, json: json)
    }
    return try replaced(state, path[...])
  }

  private func replaced(
    _ old: AnyJSON, _ rest: ArraySlice<String>
  ) throws(RecordingError) -> AnyJSON {
    guard let name = rest.first else { return json }
    switch old {
    case .object(var values):
      let (key, following) = old.place(of: name, in: rest) ?? (name, rest.dropFirst())
      guard let value = values[key] ?? (following.isEmpty ? .null : nil) else { throw missing }
      values[key] = try replaced(value, following)
      return .object(values)
    case .array(var elements):
      guard let position = old.position(of: name) else { throw missing }
      elements[position] = try replaced(elements[position], rest.dropFirst())
      return .array(elements)
    default: throw missing
    }
  }

  private var missing: RecordingError { .noValue(path: place) }
}

extension AnyJSON {
  /// The part of a state to which the names of a change lead; nil for none.
  func value(at path: [String]) -> AnyJSON? {
    var value = self
    var rest = path[...]
    while let name = rest.first {
      switch value {
      case .object(let values):
        guard let (key, following) = value.place(of: name, in: rest), let part = values[key] else {
          return nil
        }
        (value, rest) = (part, following)
      case .array(let elements):
        guard let position = value.position(of: name) else { return nil }
        (value, rest) = (elements[position], rest.dropFirst())
      default: return nil
      }
    }
    return value
  }

  /// The key of an object that leads to a part, and the names that follow it; nil for none.
  ///
  /// Associated values without a label are `_0`, `_1`, and all have the name of the case around them.
  fileprivate func place(
    of name: String, in rest: ArraySlice<String>
  ) -> (key: String, following: ArraySlice<String>)? {
    guard case .object(let values) = self else { return nil }
    if values[name] != nil { return (name, rest.dropFirst()) }
    if values["_" + name] != nil { return ("_" + name, rest.dropFirst()) }
    if values.count == 1, let only = values.first, only.value.place(of: name, in: rest) != nil {
      return (only.key, rest)
    }
    return nil
  }

  /// The position of an element of an array; nil for none.
  fileprivate func position(of name: String) -> Int? {
    guard case .array(let elements) = self else { return nil }
    let position = elements.firstIndex { name == $0.idName } ?? Int(name)
    return position.flatMap { elements.indices.contains($0) ? $0 : nil }
  }

  /// The name of an element in a list: `id: 7`; nil for one without an id.
  private var idName: String? {
    guard case .object(let values) = self, let id = values["id"] else { return nil }
    if case .string(let text) = id { return "id: \(text)" }
    return (try? id.line).map { "id: \($0)" }
  }
}
