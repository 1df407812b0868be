/// Prints the JSON of an action with placeholder values.
struct TemplateCommand: Equatable, Sendable {
  var composer: String
  /// The name of the action.
  var name: String

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.composer(composer)
    let reply = try await program(
      Requests.Template(composer: found.composer, name: name, choices: []))
    if output.isJSON { return try output.json(reply) }
    output.line(StyledText(reply.action.json))
    for choice in reply.choices ?? [] {
      output.note("\(choice.path.joined(separator: ".")): \(choice.names.joined(separator: ", "))")
    }
  }
}
