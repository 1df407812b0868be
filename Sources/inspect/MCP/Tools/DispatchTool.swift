extension MCPTool {
  /// Sends an action.
  static let dispatch = MCPTool(
    name: "dispatch", title: "Send an action",
    summary: """
      Sends an action to a composer of the running program, as a user or an effect would: it changes the program's \
      state and may start effects, such as requests. Get the JSON from template. See the result with steps.
      """,
    parameters: [
      .composer,
      ToolParameter(
        name: "action", kind: .json,
        summary: "Action as a JSON value, such as {\"toggle\": {\"id\": 7}}.", isRequired: true),
    ], impact: .change
  ) { arguments, program in
    let composer = try await program.composer(arguments.text("composer") ?? "")
    let action = arguments.value("action") ?? .null
    _ = try await program(Requests.Send(composer: composer.composer, action: action))
    return ToolResult("Sent to \(composer.name.visible): \(action.json.cut(to: 500))")
  }
}
