extension MCPTool {
  /// The last effects.
  static let effects = MCPTool(
    name: "effects", title: "List effects",
    summary: """
      Lists the last effects, the newest first: what started each, its id, whether it runs or how it has ended, \
      and how many actions it has sent.
      """,
    parameters: [
      .anyComposer,
      ToolParameter(
        name: "running", kind: .flag, summary: "Only effects that run; false by default."),
      ToolParameter(
        name: "limit", kind: .integer(1...200), summary: "Number of effects; 50 by default."),
    ]
  ) { arguments, program in
    let composers = try await program.composers()
    let wanted = try arguments.text("composer").map { name in
      try SourceSelector.all(name, in: composers).map(\.composer)
    }
    let reply = try await program(
      Requests.Effects(
        composers: wanted, isRunning: arguments.isTrue("running") ? true : nil,
        limit: arguments.integer("limit") ?? 50))
    let report = EffectReport(started: program.program.started, names: SourceNames(composers))
    var lines = reply.effects.map { report.line($0).text }
    if lines.isEmpty { lines = ["There are none."] }
    let more = reply.moreEffects ?? 0
    if more > 0 { lines.append("… \(Figures.count(more)) more") }
    return ToolResult(lines, structured: try JSONValue(reply), whenCut: "Ask with a lower limit.")
  }
}
