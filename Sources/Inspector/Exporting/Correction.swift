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
