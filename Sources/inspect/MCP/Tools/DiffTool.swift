extension MCPTool {
  /// The changes between two states of a composer.
  static let diff = MCPTool(
    name: "diff", title: "Compare two states",
    summary:
      "Lists what has changed in the state of a composer between two events, one change a line.",
    parameters: [
      .composer,
      .event(named: "from", "Number of the earlier event; 0 is the start.", isRequired: true),
      .event(named: "to", "Number of the later event; the last one by default."),
    ]
  ) { arguments, program in
    let composer = try await program.composer(arguments.text("composer") ?? "")
    let reply = try await program(
      Requests.Diff(
        composer: composer.composer, from: arguments.integer("from") ?? 0,
        to: arguments.integer("to")))
    if reply.changes.isEmpty { return ToolResult("Nothing has changed.") }
    return ToolResult(
      reply.changes.lines(more: reply.moreChanges).map(\.text),
      whenCut: "Compare events that are closer together.")
  }
}
