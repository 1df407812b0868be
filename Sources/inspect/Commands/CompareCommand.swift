/// Prints the first difference between two composers.
struct CompareCommand: Equatable, Sendable {
  var first: String
  var second: String
  /// Whether only the steps from outside are compared.
  var isOfOutside = false

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let composers = try await program.composers()
    let pair = try [first, second].map { try SourceSelector.one($0, in: composers).composer }
    let reply = try await program(
      Requests.Compare(composers: pair, sources: isOfOutside ? ["outside"] : nil))
    if output.isJSON { return try output.json(reply) }
    let format = try await program.rowFormat()
    ComparisonReport.lines(reply, format).forEach { output.row($0) }
  }
}
