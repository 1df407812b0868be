extension MCPTool {
  /// The causes and the effects of an event.
  static let why = MCPTool(
    name: "why", title: "Explain an event",
    summary: """
      Explains an event: its causes, the nearest first, from the effect that has sent the action and the step that \
      has returned this effect up to the first one or to the message of a socket, and as a tree what the event has \
      caused.
      """,
    parameters: [.event("Number of the event, 12 for #12.", isRequired: true)]
  ) { arguments, program in
    let event = arguments.integer("event") ?? 0
    let reply = try await program(Requests.Why(event: event))
    let row = try await program(Requests.Event(event: event)).row
    let format = try await program.rowFormat(isAligned: false)
    return ToolResult(
      CauseReport.lines(row, reply, format).map(\.text),
      whenCut: "Ask about one of the events above.")
  }
}
