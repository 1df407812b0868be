/// Prints the last effects, the oldest first.
struct EffectsCommand: Equatable, Sendable {
  /// The name or the number of a composer; nil for all.
  var composer: String?
  var isRunning = false

  func run(on program: InspectorConnection, _ output: Output) async throws {
    let composers = try await program.composers()
    let found = try composer.map { try SourceSelector.all($0, in: composers).map(\.composer) }
    let reply = try await program(
      Requests.Effects(composers: found, isRunning: isRunning ? true : nil, limit: 500))
    let report = EffectReport(started: program.program.started, names: SourceNames(composers))
    let more = reply.moreEffects ?? 0
    if more > 0 { output.note("… \(Figures.count(more, "earlier effect"))") }
    for effect in reply.effects.reversed() {
      if output.isJSON { try output.json(effect) } else { output.row(report.line(effect)) }
    }
    if reply.effects.isEmpty { output.note(isRunning ? "No effect runs." : "There is no effect.") }
  }
}
