/// Prints the state of a composer, or a part of it.
struct StateCommand: Equatable, Sendable {
  var composer: String
  /// The last event when nil.
  var event: Int?
  var path: [String] = []
  /// The position of the first child of a list.
  var from: Int?

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let found = try await program.composer(composer)
    if output.isJSON, path.isEmpty {
      let request = Requests.JSON(composer: found.composer, event: event)
      // The program writes it in several lines.
      return try output.json(try JSONValue(json: try await program(request).text))
    }
    let reply = try await program(
      Requests.State(
        composer: found.composer, event: event, path: path, from: from,
        count: from == nil ? nil : 100))
    if output.isJSON { return try output.json(reply) }
    output.line(
      StyledText(found.name, .blue)
        + StyledText(reply.event == 0 ? " at its start" : " after #\(reply.event)", .faint))
    ValueTree.lines(reply.value, name: path.last).forEach { output.line($0) }
  }
}
