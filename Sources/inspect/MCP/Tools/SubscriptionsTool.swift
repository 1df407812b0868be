extension MCPTool {
  /// The live subscriptions.
  static let subscriptions = MCPTool(
    name: "subscriptions", title: "List subscriptions",
    summary: """
      Lists the live subscriptions of the program's observables, each as a tree from the subscription up through its \
      operators to the sources: number, operator, file and line, age, number of elements, age and text of the last \
      element. Use it to find a stage that delivers nothing, or subscriptions that are never disposed. Needs a \
      program that traces its streams.
      """,
    parameters: [
      ToolParameter(
        name: "text", kind: .text,
        summary: "Only subscriptions with this text in an operator, file or last element; any case."
      ),
      ToolParameter(
        name: "last", kind: .integer(1...200),
        summary: "Number of subscriptions, the newest ones; 20 by default."),
    ]
  ) { arguments, program in
    let reply = try await program(Requests.Streams())
    let shown = StreamReport.streams(
      reply.streams, withText: arguments.text("text"), last: arguments.integer("last") ?? 20)
    var lines = StreamReport.lines(shown)
    if shown.isEmpty { lines = ["There are none."] }
    if !reply.isTraced { lines.insert(reply.hint ?? "The streams are not traced.", at: 0) }
    let others = reply.streams.count - shown.count + (reply.moreStreams ?? 0)
    if others > 0 { lines.append("\(Figures.count(others)) other streams") }
    return ToolResult(
      lines,
      structured: try JSONValue(
        StreamList(
          isTraced: reply.isTraced, hint: reply.hint, streams: Array(shown.prefix(500)),
          moreStreams: others + max(0, shown.count - 500))),
      whenCut: "Ask with a text, or for fewer.")
  }
}
