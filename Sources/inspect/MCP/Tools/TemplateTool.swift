extension MCPTool {
  /// The JSON of an action to edit.
  static let template = MCPTool(
    name: "template", title: "Template of an action",
    summary: """
      Returns the JSON of an action with placeholder values, to edit and pass to dispatch. The names of the \
      actions are those that composers lists. The lines behind the JSON name the cases of the enums inside the \
      action: path, colon, cases. The template of another case is that with "choices".
      """,
    parameters: [
      .composer,
      ToolParameter(
        name: "name", kind: .text, summary: "Name of the action, such as toggle.", isRequired: true),
      ToolParameter(
        name: "choices", kind: .json,
        summary: """
          Wanted cases of enums inside the action by their paths, such as {"row._1": "remove"}.
          """),
    ]
  ) { arguments, program in
    let composer = try await program.composer(arguments.text("composer") ?? "")
    let reply = try await program(
      Requests.Template(
        composer: composer.composer, name: arguments.text("name") ?? "",
        choices: try choices(in: arguments.value("choices"))))
    let cases = (reply.choices ?? []).map { choice in
      "\n\(choice.path.joined(separator: ".")): \(choice.names.joined(separator: ", "))"
    }
    return ToolResult(reply.action.json + cases.joined(), structured: try JSONValue(reply))
  }
}

/// The wanted cases in `{"row._1": "remove"}`.
private func choices(in value: JSONValue?) throws -> [Requests.Template.Choice] {
  guard let value, value != .null else { return [] }
  guard case .object(let names) = value else {
    throw InspectError.invalid("choices must be an object of paths and cases.")
  }
  return try names.sorted { $0.key < $1.key }.map { path, name in
    guard case .string(let name) = name else {
      throw InspectError.invalid("The case of \(path) in choices must be a text.")
    }
    return Requests.Template.Choice(path: path.split(separator: ".").map(String.init), name: name)
  }
}
