/// Prints what has caused an event, and what the event has caused.
struct WhyCommand: Equatable, Sendable {
  var event: Int

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let reply = try await program(Requests.Why(event: event))
    if output.isJSON { return try output.json(reply) }
    let row = try await program(Requests.Event(event: event)).row
    CauseReport.lines(row, reply, try await program.rowFormat()).forEach { output.row($0) }
  }
}
