extension MCPTool {
  /// The composers of the program.
  static let composers = MCPTool(
    name: "composers", title: "List composers",
    summary: """
      Lists the composers of the program: number, name, type, steps until now and per second, actions in the queue, \
      running effects, names of the actions, and children. Call this first. A composer owns one state and reduces \
      one action after the other.
      """
  ) { _, program in
    let composers = try await program.composers()
    let shown = Array(composers.prefix(200))
    var lines = ComposerReport.lines(shown).map(\.text)
    lines.insert("program \(program.program.program), process \(program.program.process)", at: 0)
    if composers.isEmpty { lines = ["No composer has been bound since the inspector started."] }
    if composers.count > shown.count {
      lines.append("… \(Figures.count(composers.count - shown.count)) more composers")
    }
    return ToolResult(
      lines, structured: try JSONValue(ComposerList(composers: shown)),
      whenCut: "The structured content has them.")
  }
}
