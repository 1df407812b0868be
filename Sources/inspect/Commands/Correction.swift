/// The right value of one part of a state's JSON: `rows[id: 7].isDone=true`.
struct Correction: Equatable, Sendable {
  var path: [String]
  var value: JSONValue
  /// The path as it was written.
  private let place: String

  /// Reads `PATH=JSON`.
  ///
  /// - Throws: ``ArgumentError/notACorrection(_:)``.
  init(_ text: String) throws(ArgumentError) {
    var depth = 0
    let equals = text.firstIndex { character in
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      // Within brackets it belongs to an id.
      return character == "=" && depth == 0
    }
    guard let equals, let value = try? JSONValue(json: String(text[text.index(after: equals)...]))
    else { throw .notACorrection(text) }
    place = String(text[..<equals])
    path = PathText.names(in: place)
    self.value = value
    if path.isEmpty { throw .notACorrection(text) }
  }

  /// The state with the right value.
  ///
  /// - Throws: ``InspectError/invalid(_:)`` when the state has no value there, or has this one.
  func applied(to state: JSONValue) throws(InspectError) -> JSONValue {
    try replaced(state, path[...])
  }

  private func replaced(
    _ old: JSONValue, _ rest: ArraySlice<String>
  ) throws(InspectError) -> JSONValue {
    guard let name = rest.first else {
      if old == value { throw .invalid("\(place) is \(value.json) already") }
      return value
    }
    switch old {
    case .object(var values):
      guard let child = values[name] else { throw missing }
      values[name] = try replaced(child, rest.dropFirst())
      return .object(values)
    case .array(var elements):
      let position = elements.firstIndex { name == "id: \($0["id"].map(Self.text) ?? "")" }
      guard let position = position ?? Int(name), elements.indices.contains(position) else {
        throw missing
      }
      elements[position] = try replaced(elements[position], rest.dropFirst())
      return .array(elements)
    default: throw missing
    }
  }

  /// The text of an id, as in lines.
  private static func text(_ id: JSONValue) -> String { id.text ?? id.json }

  private var missing: InspectError {
    .invalid("the JSON of the state has no value at \(place); state --json prints it")
  }
}
