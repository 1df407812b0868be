/// Lists the virtual clocks.
struct ClocksCommand: Equatable, Sendable {
  func run(on program: InspectorConnection, _ output: Output) async throws {
    let composers = try await program.composers()
    try output.list(try await program.clocks(), none: "There is no virtual clock.") {
      ClockReport.lines($0, composers)
    }
  }
}

/// Pauses, resumes or steps a virtual clock.
struct ClockCommand: Equatable, Sendable {
  /// The number of the clock; nil for the only one.
  var clock: Int?
  var control: ClockControl

  func run(on program: InspectorConnection, _ output: Output) async throws {
    output.note(try await program.control(clock, control))
  }
}
