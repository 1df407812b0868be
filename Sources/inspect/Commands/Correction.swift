/// The right value of one part of a state, as the protocol has it: `rows[id: 7].isDone=true`.
struct Correction: Encodable, Equatable, Sendable {
  let path: [String]
  let json: JSONValue

  init(path: [String], json: JSONValue) { (self.path, self.json) = (path, json) }

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
    guard let equals, let json = try? JSONValue(json: String(text[text.index(after: equals)...]))
    else { throw .notACorrection(text) }
    self.init(path: PathText.names(in: String(text[..<equals])), json: json)
    if path.isEmpty { throw .notACorrection(text) }
  }

  /// Reads an object of right values by their paths: `{"rows[id: 7].isDone": true}`.
  ///
  /// - Throws: ``InspectError/invalid(_:)`` for another value.
  static func all(in json: JSONValue?) throws(InspectError) -> [Correction]? {
    guard let json else { return nil }
    guard case .object(let values) = json else {
      throw .invalid(
        #"set must be an object of values by their paths: {"rows[id: 7].isDone": true}"#)
    }
    return values.sorted { $0.key < $1.key }.map { place, value in
      Correction(path: PathText.names(in: place), json: value)
    }
  }
}
