/// Delays both directions of a socket.
struct SlowCommand: Equatable, Sendable {
  var socket: String
  /// Milliseconds; 0 ends the delay.
  var milliseconds: Int

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.socket(socket)
    _ = try await program(Requests.Slow(socket: found.socket, milliseconds: milliseconds))
    output.note(
      milliseconds == 0
        ? "\(found.name) is not slowed down any more."
        : "Slowed \(found.name) down by \(Figures.count(milliseconds)) ms each way.")
  }
}
