extension MCPTool {
  /// The first difference between the steps of two composers.
  static let compare = MCPTool(
    name: "compare", title: "Compare two composers",
    summary: """
      Compares the steps of two composers of one type from their first steps on, such as two forks of one event or \
      two imported recordings, and shows the first step whose action or state is different, with the changes from \
      one state to the other.
      """,
    parameters: [
      .composer,
      ToolParameter(
        name: "other", kind: .text, summary: "Name or number of the other composer.",
        isRequired: true),
      ToolParameter(
        name: "outside", kind: .flag,
        summary: """
          Only the steps whose action came from outside, with the parts of the state that they have changed: for a \
          fork, whose own effects send other actions than those of its origin. False by default.
          """),
    ]
  ) { arguments, program in
    let composers = try await program.composers()
    let pair = try ["composer", "other"].map { name in
      try SourceSelector.one(arguments.text(name) ?? "", in: composers).composer
    }
    let reply = try await program(
      Requests.Compare(
        composers: pair, sources: arguments.isTrue("outside") ? ["outside"] : nil))
    let format = try await program.rowFormat(isAligned: false)
    return ToolResult(
      ComparisonReport.lines(reply, format).map(\.text), structured: try JSONValue(reply),
      whenCut: "Read the states of both with state_at.")
  }
}
