/// The command line.
enum Arguments: Equatable {
  case help
  case mcp(InspectorAddress)
  case command(Command, InspectorAddress, isJSON: Bool)

  /// Reads the arguments, without the program's name.
  init(_ words: [String]) throws(ArgumentError) {
    if words.contains("--help") || words.contains("-h") {
      self = .help
      return
    }
    guard let name = words.first else { throw .missingAddress }
    let rest = Array(words.dropFirst())
    func reader(
      flags: Set<String> = [], valued: Set<String> = []
    ) throws(ArgumentError) -> WordReader {
      try WordReader(rest, flags: flags.union(["--json"]), valued: valued)
    }
    var line: WordReader
    let address: InspectorAddress
    let command: Command
    switch name {
    case "mcp":
      line = try WordReader(rest, flags: [], valued: [])
      self = .mcp(try line.address())
      try line.end()
      return
    case "composers":
      line = try reader()
      address = try line.address()
      command = .composers
    case "state":
      line = try reader(valued: ["--event", "--path", "--from"])
      address = try line.address()
      command = .state(
        StateCommand(
          composer: try line.word("COMPOSER"), event: try line.number("--event"),
          path: PathText.names(in: line.value("--path") ?? ""), from: try line.number("--from")))
    case "event", "why":
      line = try reader()
      address = try line.address()
      let event = try line.number(named: "EVENT")
      command =
        name == "event" ? .event(EventCommand(event: event)) : .why(WhyCommand(event: event))
    case "send":
      line = try reader()
      address = try line.address()
      command = .send(
        SendCommand(
          composer: try line.word("COMPOSER"), action: try Self.action(try line.word("JSON"))))
    case "effects":
      line = try reader(flags: ["--running"], valued: ["--composer"])
      address = try line.address()
      command = .effects(
        EffectsCommand(composer: line.value("--composer"), isRunning: line.has("--running")))
    default:
      line = try WordReader(
        words, flags: ["--follow", "--json"],
        valued: ["--composer", "--filter", "--kinds", "--last"])
      address = try line.address()
      command = .events(
        EventsCommand(
          composer: line.value("--composer"), text: line.value("--filter"),
          kinds: try Self.kinds(line.value("--kinds")), last: try line.number("--last") ?? 20,
          follows: line.has("--follow")))
    }
    try line.end()
    self = .command(command, address, isJSON: line.has("--json"))
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
