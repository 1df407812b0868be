extension MCPTool {
  /// The JSON of an action to edit.
  static let template = MCPTool(
    name: "template", title: "Template of an action",
    summary: """
      Returns the JSON of an action with placeholder values, to edit and pass to dispatch. The names of the \
      actions are those that composers lists. Under it are the cases of enums inside the action.
      """,
    parameters: [
      .composer,
      ToolParameter(
        name: "name", kind: .text, summary: "Name of the action, such as toggle.", isRequired: true),
    ]
  ) { arguments, program in
    let composer = try await program.composer(arguments.text("composer") ?? "")
    let reply = try await program(
      Requests.Template(composer: composer.composer, name: arguments.text("name") ?? ""))
    let cases = reply.choices.map { choice in
      "\n\(choice.path.joined(separator: ".")): \(choice.names.joined(separator: ", "))"
    }
    return ToolResult(reply.action.json + cases.joined(), structured: try JSONValue(reply))
  }
}
