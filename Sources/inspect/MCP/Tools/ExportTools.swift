extension MCPTool {
  /// A test in Swift that replays recorded steps.
  static let exportTest = MCPTool(
    name: "export_test", title: "Export a test",
    summary: """
      Returns the source of a test in Swift (Swift Testing) that replays the recorded steps of a composer and \
      expects the recorded states. With `set`, the right values of parts of the state after the last step, the test \
      fails until the reducer returns them: find the step with the wrong state, and export from this step or a few \
      before it up to this step. \
      Only for composers with canExport in composers.
      """,
    parameters: [
      .composer, .from, .to,
      ToolParameter(name: "name", kind: .text, summary: "Name of the test, a sentence."),
      ToolParameter(
        name: "make", kind: .text,
        summary: "Swift expression that creates the composer; App() by default for an App."),
      ToolParameter(
        name: "expected", kind: .json,
        summary: "The whole corrected state after the last step, as state_at returns it as JSON."),
      ToolParameter(
        name: "set", kind: .json,
        summary: """
          Right values by the paths that steps and event show, such as {"rows[id: 7].isDone": true}. Replaces values \
          of the recorded state, or of `expected`.
          """),
    ]
  ) { arguments, program in
    try await export(
      .swiftTest, arguments, program, whole: "the test",
      name: arguments.text("name"), make: arguments.text("make"),
      expected: arguments.value("expected"), set: try Correction.all(in: arguments.value("set")))
  }

  /// A recording as JSON lines.
  static let exportRecording = MCPTool(
    name: "export_recording", title: "Export a recording",
    summary: """
      Returns the recorded steps and effects of a composer as JSON lines, which Timeline(jsonLines:) of the module \
      ReactiveTesting reads. Only for composers with canExport in composers.
      """,
    parameters: [.composer, .from, .to]
  ) { arguments, program in
    try await export(.jsonLines, arguments, program, whole: "the recording")
  }

  /// The most bytes of an export: a part of one is of no use.
  private static let exportLimit = 64_000

  private static func export(
    _ format: Requests.ExportFormat, _ arguments: ToolArguments, _ program: InspectorConnection,
    whole: String, name: String? = nil, make: String? = nil, expected: JSONValue? = nil,
    set: [Correction]? = nil
  ) async throws -> ToolResult {
    let composer = try await program.composer(arguments.text("composer") ?? "")
    let reply = try await program(
      Requests.Export(
        composer: composer.composer, format: format, from: arguments.integer("from"),
        to: arguments.integer("to"), name: name, make: make, expected: expected,
        set: set))
    let count = reply.text.utf8.count
    guard count <= exportLimit else {
      throw InspectError.invalid(
        """
        \(whole) has \(Figures.count(count)) bytes, more than \(Figures.count(exportLimit)). Choose fewer events \
        with from and to, or have it written to a file by: inspect export ADDRESS \(composer.composer)\
        \(format == .swiftTest ? " --test" : "") > FILE
        """)
    }
    return ToolResult(reply.text)
  }
}
