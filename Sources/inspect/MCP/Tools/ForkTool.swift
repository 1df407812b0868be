extension MCPTool {
  /// Creates a composer from an earlier state.
  static let fork = MCPTool(
    name: "fork", title: "Fork a composer",
    summary: """
      Creates a second composer from the state that a composer had after an event, to try other actions: send them \
      with dispatch to the fork's number. The composer itself is not changed. Effects of the fork run for real. \
      Only for composers with canFork in composers. Fork twice from one event to compare two courses. Release the \
      fork with end_fork.
      """,
    parameters: [
      .composer,
      .event("Number of an event of any composer, 12 for #12; 0 is the start.", isRequired: true),
    ], impact: .addition
  ) { arguments, program in
    let composer = try await program.composer(arguments.text("composer") ?? "")
    let event = arguments.integer("event") ?? 0
    let reply = try await program(Requests.Fork(composer: composer.composer, event: event))
    let place = event == 0 ? "at its start" : "after #\(event)"
    return ToolResult(
      "The fork of \(composer.name.visible) \(place) is composer \(reply.composer).",
      structured: try JSONValue(reply))
  }

  /// Releases a fork.
  static let endFork = MCPTool(
    name: "end_fork", title: "Release a fork",
    summary: """
      Releases a composer that fork has created. Its effects are cancelled; its steps stay readable.
      """,
    parameters: [.composer], impact: .change
  ) { arguments, program in
    let composer = try await program.composer(arguments.text("composer") ?? "")
    _ = try await program(Requests.EndFork(composer: composer.composer))
    return ToolResult("Released composer \(composer.composer), \(composer.name.visible).")
  }
}
