/// A tool for an assistant.
///
/// To add one, write an extension with a static property as in `Tools/`, and add it to ``all``.
struct MCPTool: Sendable {
  let name: String
  let title: String
  /// What the tool returns and when to use it, for a reader without any documentation.
  let summary: String
  var parameters: [ToolParameter] = []
  var impact = Impact.none
  /// What the tool changes in the program.
  enum Impact: Equatable, Sendable {
    case none
    /// It adds something, and changes nothing that exists.
    case addition
    case change
  }

  let run: @Sendable (ToolArguments, InspectorConnection) async throws -> ToolResult

  static let all: [MCPTool] = [
    .composers, .steps, .event, .stateAt, .diff, .why, .effects, .sockets, .servers, .subscriptions,
    .template, .dispatch, .cut, .slow, .clocks, .pauseClock, .stepClock, .resumeClock, .fork,
    .endFork, .compare, .exportTest, .exportRecording,
  ]

  /// The tool as `tools/list` describes it.
  var description: JSONValue {
    let properties = parameters.map { ($0.name, $0.schema) }
    var schema: [String: JSONValue] = [
      "type": "object", "additionalProperties": false,
      "properties": .object(Dictionary(properties) { $1 }),
    ]
    let required = parameters.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    var annotations: [String: JSONValue] = [
      "title": .string(title), "readOnlyHint": .bool(impact == .none),
      // The effects of the program run for real.
      "openWorldHint": .bool(impact != .none),
    ]
    if impact != .none { annotations["destructiveHint"] = .bool(impact == .change) }
    return [
      "name": .string(name), "title": .string(title), "description": .string(summary),
      "inputSchema": .object(schema), "annotations": .object(annotations),
    ]
  }
}
