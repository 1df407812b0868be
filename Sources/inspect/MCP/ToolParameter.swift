/// A parameter of a tool.
struct ToolParameter: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case text
    case integer(ClosedRange<Int>)
    case flag
    /// Some of these words.
    case words([String])
    /// Any JSON value.
    case json
  }

  let name: String
  let kind: Kind
  let summary: String
  var isRequired = false

  /// Its JSON Schema.
  var schema: JSONValue {
    var schema: [String: JSONValue] = ["description": .string(summary)]
    switch kind {
    case .text: schema["type"] = "string"
    case .flag: schema["type"] = "boolean"
    case .json: break
    case .integer(let range):
      schema["type"] = "integer"
      schema["minimum"] = .integer(Int64(range.lowerBound))
      if range.upperBound < .max { schema["maximum"] = .integer(Int64(range.upperBound)) }
    case .words(let words):
      schema["type"] = "array"
      schema["items"] = ["type": "string", "enum": .array(words.map { .string($0) })]
    }
    return .object(schema)
  }

  // MARK: Parameters of several tools

  static let composer = ToolParameter(
    name: "composer", kind: .text,
    summary: "Name or number of a composer, as the tool composers lists them.", isRequired: true)

  static let from = event(
    named: "from", "Number of the first event; the first that the program keeps by default.")

  static let to = event(named: "to", "Number of the last event; the last one by default.")

  static let anyComposer = ToolParameter(
    name: "composer", kind: .text,
    summary: "Name or number of a composer; all composers by default.")

  static func event(named name: String = "event", _ summary: String, isRequired: Bool = false)
    -> ToolParameter
  {
    ToolParameter(name: name, kind: .integer(0...(.max)), summary: summary, isRequired: isRequired)
  }
}
