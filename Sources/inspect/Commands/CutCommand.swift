/// Drops the connection of a socket.
struct CutCommand: Equatable, Sendable {
  var socket: String

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.socket(socket)
    _ = try await program(Requests.Cut(socket: found.socket))
    output.note("Cut \(found.name).")
  }
}
