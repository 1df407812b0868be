/// What to do with a program, from the command line.
enum Command: Equatable, Sendable {
  case events(EventsCommand)
  case composers
  case state(StateCommand)
  case event(EventCommand)
  case why(WhyCommand)
  case effects(EffectsCommand)
  case send(SendCommand)

  /// Runs the command on a program.
  ///
  /// - Throws: ``InspectError``; `CancellationError`.
  func run(on program: InspectorConnection, _ output: Output) async throws {
    switch self {
    case .events(let command): try await command.run(on: program, output)
    case .composers: try await Self.composers(of: program, output)
    case .state(let command): try await command.run(on: program, output)
    case .event(let command): try await command.run(on: program, output)
    case .why(let command): try await command.run(on: program, output)
    case .effects(let command): try await command.run(on: program, output)
    case .send(let command): try await command.run(on: program, output)
    }
  }

  private static func composers(of program: InspectorConnection, _ output: Output) async throws {
    let composers = try await program.composers()
    if output.isJSON {
      for composer in composers { try output.json(composer) }
    } else {
      ComposerReport.lines(composers).forEach { output.line($0) }
    }
  }
}

extension InspectorConnection {
  /// The format of rows with the names that composers have now.
  func rowFormat() async throws -> RowFormat {
    RowFormat(started: program.started, names: ComposerNames(try await composers()))
  }
}
