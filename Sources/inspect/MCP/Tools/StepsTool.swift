extension MCPTool {
  /// The last events.
  static let steps = MCPTool(
    name: "steps", title: "List steps, effects and messages",
    summary: """
      Lists the last steps of the program, the oldest first, one a line: number of the event, seconds since the \
      program's inspector started, composer, step, sender of the action (none: from outside, such as the user), \
      action, and changes of the state. With kinds also the starts and ends of effects, the messages that sockets \
      have received and sent, and the states of sockets. Use `event` for all values of one of them, and `why` for \
      its causes.
      """,
    parameters: [
      ToolParameter(
        name: "composer", kind: .text,
        summary: "Name or number of a composer or socket; all of them by default."),
      ToolParameter(
        name: "text", kind: .text,
        summary: "Only events with this text in their action, source, name or changes; any case."),
      ToolParameter(
        name: "kinds", kind: .words(EventKind.allCases.map(\.rawValue)),
        summary: """
          Kinds of events: steps, starts and ends of effects, messages received and sent by sockets, states of \
          sockets; step by default.
          """),
      ToolParameter(
        name: "last", kind: .integer(1...EventCursor.pageSize),
        summary: "Number of events; 20 by default."),
    ]
  ) { arguments, program in
    let composers = try await program.composers()
    let sockets = try await program.sockets()
    let wanted = try arguments.text("composer").map { name in
      try SourceSelector.numbers(name, composers, sockets)
    }
    let filter = EventFilter(
      composers: wanted, kinds: arguments.words("kinds")?.compactMap { EventKind(rawValue: $0) },
      text: arguments.text("text"))
    let last = arguments.integer("last") ?? 20
    let (page, progress) = try await EventList.with(filter, on: program) { list in
      let progress = try await list.searched()
      let cursor = EventCursor(last: last, of: progress)
      let count = progress.count - cursor.position
      return (try await list.rows(from: cursor.position, count: count, as: Row.self), progress)
    }
    let format = RowFormat(
      started: program.program.started, names: SourceNames(composers, sockets), isAligned: false)
    var lines = ["\(Figures.count(page.rows.count)) of \(Figures.count(progress.count, "event"))"]
    if progress.dropped > 0 { lines[0] += ", \(Figures.count(progress.dropped)) of them dropped" }
    if progress.searched < 1 { lines[0] += ", still searching" }
    lines += page.rows.map { format.line($0).text }
    return ToolResult(
      lines,
      structured: ["rows": try JSONValue(page.rows), "count": .integer(Int64(progress.count))],
      whenCut: "Ask for fewer, or with a text.")
  }
}
