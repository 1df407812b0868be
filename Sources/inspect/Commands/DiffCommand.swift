/// Prints what has changed in the state of a composer between two events.
struct DiffCommand: Equatable, Sendable {
  var composer: String
  var from: Int
  /// The last event when nil.
  var to: Int?

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.composer(composer)
    let reply = try await program(
      Requests.Diff(composer: found.composer, from: from, to: to))
    if output.isJSON { return try output.json(reply) }
    reply.changes.lines(more: reply.moreChanges).forEach { output.row($0) }
    if reply.changes.isEmpty { output.note("Nothing has changed.") }
  }
}
