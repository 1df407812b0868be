/// Creates a composer from the state of another one, and prints its number.
struct ForkCommand: Equatable, Sendable {
  var composer: String
  var event: Int

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.composer(composer)
    let reply = try await program(Requests.Fork(composer: found.composer, event: event))
    if output.isJSON { return try output.json(reply) }
    let place = event == 0 ? "at its start" : "after #\(event)"
    output.line("composer \(reply.composer), a fork of \(found.name) \(place)")
  }
}

/// Releases a fork.
struct EndForkCommand: Equatable, Sendable {
  var composer: String

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.composer(composer)
    _ = try await program(Requests.EndFork(composer: found.composer))
    output.note("Released \(found.name).")
  }
}
