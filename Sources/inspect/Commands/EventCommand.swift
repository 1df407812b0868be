/// Prints one event with all its values.
struct EventCommand: Equatable, Sendable {
  var event: Int

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let detail = try await program(Requests.Event(event: event))
    if output.isJSON { return try output.json(detail) }
    EventReport.lines(detail, try await program.rowFormat()).forEach { output.line($0) }
  }
}
