/// Prints the last events, and then new ones.
struct EventsCommand: Equatable, Sendable {
  /// The name or the number of a composer or socket; nil for all.
  var composer: String?
  var text: String?
  /// Nil for steps.
  var kinds: [EventKind]?
  var last = 20
  var follows = false

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let composers = try await program.composers()
    let sockets = try await program.sockets()
    let wanted = try composer.map { try SourceSelector.numbers($0, composers, sockets) }
    let filter = EventFilter(composers: wanted, kinds: kinds, text: text)
    var format = RowFormat(
      started: program.program.started, names: SourceNames(composers, sockets))
    do {
      try await EventList.with(filter, on: program) { list in
        try await print(list, of: program, &format, output)
      }
    } catch InspectError.programEnded where follows {
      output.note("The program has ended, or has stopped its inspector.")
    }
  }

  /// Rows are read when the ones before are written, so a slow terminal keeps none in memory.
  private func print(
    _ list: EventList, of program: InspectorConnection, _ format: inout RowFormat, _ output: Output
  ) async throws {
    var progress = try await list.searched()
    var cursor = EventCursor(last: last, of: progress)
    while true {
      switch cursor.next(progress, maySkip: follows) {
      case .wait:
        guard follows else { return }
        let position = cursor.position
        progress = try await list.progress { $0.count > position }
      case .skipped(let count): skipped(count, output)
      case .read(let from, let count):
        let page: (from: Int, count: Int)
        if output.isJSON {
          let rows = try await list.rows(from: from, count: count, as: JSONValue.self)
          for row in rows.rows { try output.json(row) }
          page = (rows.from, rows.rows.count)
        } else {
          let rows = try await list.rows(from: from, count: count, as: Row.self)
          if !rows.rows.allSatisfy(format.names.knows) {
            format = try await program.rowFormat()
          }
          for row in rows.rows { output.row(format.line(row)) }
          page = (rows.from, rows.rows.count)
        }
        let missing = cursor.advance(by: count, returned: page.count, from: page.from)
        if missing > 0 { skipped(missing, output) }
        // While rows were written the list has grown.
        if follows, cursor.position < progress.count {
          let position = cursor.position
          progress = try await list.progress { $0.count > position }
        }
      }
    }
  }

  private func skipped(_ count: Int, _ output: Output) {
    let text = "… \(Figures.count(count, "event")) skipped"
    if output.isJSON { output.note(text) } else { output.row(StyledText(text, .faint)) }
  }
}
