extension MCPTool {
  /// One event with all its values.
  static let event = MCPTool(
    name: "event", title: "Show an event",
    summary: """
      Shows one event: the whole action of a step with its values, and all changes of the state with old and new \
      values.
      """,
    parameters: [.event("Number of the event, 12 for #12.", isRequired: true)]
  ) { arguments, program in
    let detail = try await program(Requests.Event(event: arguments.integer("event") ?? 0))
    let format = try await program.rowFormat(isAligned: false)
    return ToolResult(
      EventReport.lines(detail, format).map(\.text),
      whenCut: "Ask state_at for a part of the state with a path.")
  }
}
