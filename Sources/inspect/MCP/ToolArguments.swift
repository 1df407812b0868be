/// The arguments of a call, checked by the parameters of the tool.
struct ToolArguments: Sendable {
  private let values: [String: JSONValue]

  /// - Throws: ``InspectError/invalid(_:)`` with what to correct.
  init(_ arguments: JSONValue?, of tool: MCPTool) throws(InspectError) {
    var values: [String: JSONValue] = [:]
    switch arguments ?? .null {
    case .object(let given): values = given.filter { $0.value != .null }
    case .null: break
    default: throw .invalid("The arguments of \(tool.name) must be an object.")
    }
    let known = tool.parameters.map(\.name)
    for name in values.keys.sorted() where !known.contains(name) {
      throw .invalid(
        "\(tool.name) has no parameter \(name). "
          + (known.isEmpty ? "It has none." : "It has: \(known.joined(separator: ", "))."))
    }
    for parameter in tool.parameters {
      guard let value = values[parameter.name] else {
        if parameter.isRequired { throw .invalid("\(tool.name) needs \(parameter.name).") }
        continue
      }
      try Self.check(value, parameter)
    }
    self.values = values
  }

  private static func check(
    _ value: JSONValue, _ parameter: ToolParameter
  ) throws(InspectError) {
    switch parameter.kind {
    case .text:
      guard value.text != nil || value.integer != nil else {
        throw .invalid("\(parameter.name) must be a text.")
      }
    case .integer(let range):
      guard let number = value.integer, range.contains(number) else {
        let limit = range.upperBound == .max ? "" : " to \(range.upperBound)"
        throw .invalid("\(parameter.name) must be an integer from \(range.lowerBound)\(limit).")
      }
    case .flag:
      guard case .bool = value else { throw .invalid("\(parameter.name) must be true or false.") }
    case .words(let words):
      guard case .array(let given) = value,
        given.allSatisfy({ $0.text.map(words.contains) == true })
      else {
        throw .invalid("\(parameter.name) must be a list of \(words.joined(separator: ", ")).")
      }
    case .json: break
    }
  }

  subscript(name: String) -> JSONValue? { values[name] }

  /// Any JSON value, also if its JSON is in a string.
  ///
  /// Some clients pass values of any type as strings.
  func value(_ name: String) -> JSONValue? {
    guard let text = values[name]?.text, let value = try? JSONValue(json: text),
      case .object = value
    else { return values[name] }
    return value
  }

  func text(_ name: String) -> String? {
    values[name].flatMap { $0.text ?? $0.integer.map { "\($0)" } }
  }

  func integer(_ name: String) -> Int? { values[name]?.integer }

  func isTrue(_ name: String) -> Bool { values[name] == .bool(true) }

  func words(_ name: String) -> [String]? {
    if case .array(let words) = values[name] { words.compactMap(\.text) } else { nil }
  }
}
