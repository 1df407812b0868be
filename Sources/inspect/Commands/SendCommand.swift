/// Sends an action to a composer.
struct SendCommand: Equatable, Sendable {
  var composer: String
  var action: JSONValue

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.composer(composer)
    _ = try await program(Requests.Send(composer: found.composer, action: action))
    output.note("Sent to \(found.name).")
  }
}
