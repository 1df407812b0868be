/// What to do with a program, from the command line.
enum Command: Equatable, Sendable {
  case events(EventsCommand)
  case composers
  case clocks(ClocksCommand)
  case clock(ClockCommand)
  case sockets(isLive: Bool?)
  case servers
  case state(StateCommand)
  case event(EventCommand)
  case why(WhyCommand)
  case diff(DiffCommand)
  case effects(EffectsCommand)
  case send(SendCommand)
  case template(TemplateCommand)
  case cut(CutCommand)
  case slow(SlowCommand)
  case fork(ForkCommand)
  case endFork(EndForkCommand)
  case export(ExportCommand)
  case `import`(ImportCommand)
  case compare(CompareCommand)

  /// Runs the command on a program.
  ///
  /// - Throws: ``InspectError``; `CancellationError`.
  func run(on program: InspectorConnection, _ output: Output) async throws {
    switch self {
    case .events(let command): try await command.run(on: program, output)
    case .composers:
      try output.list(
        try await program.composers(), none: "There is no composer.", ComposerReport.lines)
    case .clocks(let command): try await command.run(on: program, output)
    case .clock(let command): try await command.run(on: program, output)
    case .sockets(let isLive):
      try output.list(
        try await program.sockets(isLive: isLive), none: "There is no socket.", SocketReport.lines)
    case .servers:
      try output.list(
        try await program(Requests.Servers()).servers, none: "No server listens.",
        ServerReport.lines)
    case .state(let command): try await command.run(on: program, output)
    case .event(let command): try await command.run(on: program, output)
    case .why(let command): try await command.run(on: program, output)
    case .diff(let command): try await command.run(on: program, output)
    case .effects(let command): try await command.run(on: program, output)
    case .send(let command): try await command.run(on: program, output)
    case .template(let command): try await command.run(on: program, output)
    case .cut(let command): try await command.run(on: program, output)
    case .slow(let command): try await command.run(on: program, output)
    case .fork(let command): try await command.run(on: program, output)
    case .endFork(let command): try await command.run(on: program, output)
    case .export(let command): try await command.run(on: program, output)
    case .import(let command): try await command.run(on: program, output)
    case .compare(let command): try await command.run(on: program, output)
    }
  }
}
