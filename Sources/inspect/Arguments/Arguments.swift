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
    if name == "mcp" {
      var line = try WordReader(words.dropFirst(), flags: [], valued: [])
      self = .mcp(try line.address())
      try line.end()
      return
    }
    let syntax = CommandSyntax.named(name)
    if syntax == nil, Self.isWord(name), words.count > 1 { throw .unknownCommand(name) }
    var line = try WordReader(
      syntax == nil ? words[...] : words.dropFirst(),
      flags: (syntax ?? .events).flags.union(["--json"]), valued: (syntax ?? .events).valued)
    let address = try line.address()
    let command = try (syntax ?? .events).command(&line)
    try line.end()
    self = .command(command, address, isJSON: line.has("--json"))
  }

  /// Whether this is not meant as an option or an address.
  private static func isWord(_ name: String) -> Bool {
    !name.isEmpty && name.allSatisfy { $0.isLetter || $0 == "-" } && !name.hasPrefix("-")
  }
}
