/// The options of a command, and how it is read after the address.
struct CommandSyntax {
  /// The options without a value, and those with one.
  var flags: Set<String> = []
  var valued: Set<String> = []
  let command: (inout WordReader) throws(ArgumentError) -> Command

  /// The syntax of the command with this name; nil for no name of a command.
  static func named(_ name: String) -> CommandSyntax? {
    switch name {
    case "composers": list(.composers)
    case "clocks": list(.clocks(ClocksCommand()))
    case "pause": clock(.pause)
    case "resume": clock(.resume)
    case "step": step
    case "sockets": sockets
    case "servers": list(.servers)
    case "state": state
    case "event": numbered { .event(EventCommand(event: $0)) }
    case "why": numbered { .why(WhyCommand(event: $0)) }
    case "diff": diff
    case "effects": effects
    case "send": send
    case "template": template
    case "cut": cut
    case "slow": slow
    case "fork": fork
    case "end-fork": endFork
    case "export": export
    case "import": importing
    case "compare": compare
    default: nil
    }
  }

  /// The command without a name.
  static var events: CommandSyntax {
    CommandSyntax(
      flags: ["--follow"], valued: ["--composer", "--filter", "--kinds", "--last"]
    ) { line throws(ArgumentError) in
      .events(
        EventsCommand(
          composer: line.value("--composer"), text: line.value("--filter"),
          kinds: try kinds(line.value("--kinds")), last: try line.number("--last") ?? 20,
          follows: line.has("--follow")))
    }
  }

  private static func list(_ command: Command) -> CommandSyntax {
    CommandSyntax { _ throws(ArgumentError) in command }
  }

  private static func numbered(_ command: @escaping (Int) -> Command) -> CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in command(try line.number(named: "EVENT")) }
  }

  private static var state: CommandSyntax {
    CommandSyntax(valued: ["--event", "--path", "--from"]) { line throws(ArgumentError) in
      .state(
        StateCommand(
          composer: try line.word("COMPOSER"), event: try line.number("--event"),
          path: PathText.names(in: line.value("--path") ?? ""), from: try line.number("--from")))
    }
  }

  private static var diff: CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .diff(
        DiffCommand(
          composer: try line.word("COMPOSER"), from: try line.number(named: "EVENT"),
          to: try line.number(ifNamed: "EVENT")))
    }
  }

  private static var effects: CommandSyntax {
    CommandSyntax(flags: ["--running"], valued: ["--composer"]) { line throws(ArgumentError) in
      .effects(
        EffectsCommand(composer: line.value("--composer"), isRunning: line.has("--running")))
    }
  }

  private static var sockets: CommandSyntax {
    CommandSyntax(flags: ["--live"]) { line throws(ArgumentError) in
      .sockets(isLive: line.has("--live") ? true : nil)
    }
  }

  private static var send: CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .send(
        SendCommand(
          composer: try line.word("COMPOSER"), action: try action(try line.word("JSON"))))
    }
  }

  private static var template: CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .template(
        TemplateCommand(composer: try line.word("COMPOSER"), name: try line.word("ACTION")))
    }
  }

  private static var cut: CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .cut(CutCommand(socket: try line.word("SOCKET")))
    }
  }

  private static var slow: CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .slow(
        SlowCommand(
          socket: try line.word("SOCKET"), milliseconds: try line.number(named: "MILLISECONDS")))
    }
  }

  private static func clock(_ control: ClockControl) -> CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .clock(ClockCommand(clock: try line.number(ifNamed: "CLOCK"), control: control))
    }
  }

  private static var step: CommandSyntax {
    CommandSyntax(valued: ["--by"]) { line throws(ArgumentError) in
      .clock(
        ClockCommand(
          clock: try line.number(ifNamed: "CLOCK"), control: .step(by: try line.seconds("--by"))))
    }
  }

  private static var fork: CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .fork(
        ForkCommand(
          composer: try line.word("COMPOSER"), event: try line.number(named: "EVENT")))
    }
  }

  private static var endFork: CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .endFork(EndForkCommand(composer: try line.word("COMPOSER")))
    }
  }

  private static var export: CommandSyntax {
    CommandSyntax(
      flags: ["--test"], valued: ["--from", "--to", "--name", "--make", "--expected", "--set"]
    ) { line throws(ArgumentError) in
      let test = ExportCommand.Test(
        name: line.value("--name"), make: line.value("--make"), expected: line.value("--expected"),
        corrections: try correction(line.value("--set")))
      if !line.has("--test"), test != ExportCommand.Test() { throw .missing("--test") }
      // The program may go on between the requests for the state and for the test.
      if !test.corrections.isEmpty, line.value("--to") == nil { throw .missing("--to") }
      return .export(
        ExportCommand(
          composer: try line.word("COMPOSER"), from: try line.number("--from"),
          to: try line.number("--to"), test: line.has("--test") ? test : nil))
    }
  }

  private static func correction(_ text: String?) throws(ArgumentError) -> [Correction] {
    guard let text else { return [] }
    return [try Correction(text)]
  }

  private static var importing: CommandSyntax {
    CommandSyntax { line throws(ArgumentError) in
      .import(ImportCommand(file: try line.word("FILE")))
    }
  }

  private static var compare: CommandSyntax {
    CommandSyntax(flags: ["--outside"]) { line throws(ArgumentError) in
      .compare(
        CompareCommand(
          first: try line.word("COMPOSER"), second: try line.word("COMPOSER"),
          isOfOutside: line.has("--outside")))
    }
  }

  private static func kinds(_ text: String?) throws(ArgumentError) -> [EventKind]? {
    guard let text else { return nil }
    var kinds: [EventKind] = []
    for word in text.split(separator: ",") {
      guard let kind = EventKind(rawValue: String(word)) else {
        throw .unknownKind(String(word))
      }
      kinds.append(kind)
    }
    return kinds
  }

  private static func action(_ text: String) throws(ArgumentError) -> JSONValue {
    do {
      return try JSONValue(json: text)
    } catch {
      throw .notJSON(text)
    }
  }
}
