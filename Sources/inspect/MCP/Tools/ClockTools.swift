extension MCPTool {
  /// The virtual clocks of the program.
  static let clocks = MCPTool(
    name: "clocks", title: "List virtual clocks",
    summary: """
      Lists the virtual clocks of a program that runs its composers in VirtualTime: number, seconds since the \
      beginning, time of the next work, whether it is paused, its composers. Most programs have none.
      """
  ) { _, program in
    let composers = try await program.composers()
    let clocks = try await program.clocks()
    var lines = ClockReport.lines(clocks, composers).map(\.text)
    if clocks.isEmpty { lines = ["There are none."] }
    return ToolResult(
      lines, structured: try JSONValue(ClockList(clocks: clocks)),
      whenCut: "The structured content has them.")
  }

  private static let clock = ToolParameter(
    name: "clock", kind: .integer(1...(.max)),
    summary: "Number of a clock, as clocks lists them; the only clock by default.")

  /// Pauses a virtual clock.
  static let pauseClock = MCPTool(
    name: "pause_clock", title: "Pause a virtual clock",
    summary: """
      Stops a virtual clock at its current moment. Actions are still reduced; timers and delays wait for step_clock \
      or resume_clock. Ends steps that are not used yet.
      """,
    parameters: [clock], impact: .change
  ) { arguments, program in
    ToolResult(try await program.control(arguments.integer("clock"), .pause))
  }

  /// Lets a paused virtual clock move.
  static let stepClock = MCPTool(
    name: "step_clock", title: "Step a virtual clock",
    summary: """
      Lets a paused virtual clock run up to and including the next moment with due work, or move by some \
      milliseconds. The program does that on its own thread: see the result with clocks and steps.
      """,
    parameters: [
      clock,
      ToolParameter(
        name: "milliseconds", kind: .integer(1...1_000_000_000_000),
        summary: "Virtual time to move by; up to the next due work by default."),
    ], impact: .change
  ) { arguments, program in
    let seconds = arguments.integer("milliseconds").map { Double($0) / 1_000 }
    return ToolResult(
      try await program.control(arguments.integer("clock"), .step(by: seconds)))
  }

  /// Resumes a virtual clock.
  static let resumeClock = MCPTool(
    name: "resume_clock", title: "Resume a virtual clock",
    summary: """
      Lets a paused virtual clock run again, as far and as fast as the program advances it, which may be hours of \
      virtual time at once.
      """,
    parameters: [clock], impact: .change
  ) { arguments, program in
    ToolResult(try await program.control(arguments.integer("clock"), .resume))
  }
}
