extension MCPTool {
  /// The state of a composer after an event.
  static let stateAt = MCPTool(
    name: "state_at", title: "Read a state",
    summary: """
      Reads the state of a composer after an event, the last one by default: as JSON if it has one and is small, \
      otherwise as a tree of names and values, of which long lists show 100 elements. Ask for a part with path.
      """,
    parameters: [
      .composer,
      .event("Number of an event of any composer; the last one by default. 0 is the start."),
      ToolParameter(
        name: "path", kind: .text,
        summary:
          "Part of the state, as in changes of steps: rows[id: 7].title. The whole by default."),
      ToolParameter(
        name: "from", kind: .integer(0...(.max)),
        summary: "Position of the first element to show of the list at the path; 0 by default."),
    ]
  ) { arguments, program in
    let composer = try await program.composer(arguments.text("composer") ?? "")
    let path = PathText.names(in: arguments.text("path") ?? "")
    let event = arguments.integer("event")
    let from = arguments.integer("from")
    let reply = try await program(
      Requests.State(
        composer: composer.composer, event: event, path: path, from: from,
        count: from == nil ? nil : 100))
    let head =
      "state of \(composer.name.visible) "
      + (reply.event == 0 ? "at its start" : "after #\(reply.event)")
    if path.isEmpty, from == nil,
      let json = try? await program(Requests.JSON(composer: composer.composer, event: reply.event)),
      json.text.count <= ToolResult.limit, let value = try? JSONValue(json: json.text)
    {
      return ToolResult(
        "\(head)\n\(json.text)",
        structured: ["event": .integer(Int64(reply.event)), "state": value])
    }
    return ToolResult(
      [head] + ValueTree.lines(reply.value, name: path.last),
      whenCut: "Ask for a part with path.")
  }
}
