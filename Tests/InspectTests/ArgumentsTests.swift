import TestSupport
import Testing

@testable import inspect

@Suite("The command line of inspect", .workerPool)
struct InspectArgumentsTests {
  private static let url = "http://127.0.0.1:51234/9f86/"

  private func command(_ words: String...) throws -> Command {
    guard case .command(let command, _, _) = try Arguments(words) else {
      throw ArgumentError.missingAddress
    }
    return command
  }

  @Test func `an address alone prints the last 20 steps`() throws {
    #expect(try command(Self.url) == .events(EventsCommand()))
  }

  @Test func `events have options in any order`() throws {
    let command = try command(
      "--last", "5", "--follow", Self.url, "--composer", "Search", "--filter", "toggle", "--kinds",
      "started,ended")
    #expect(
      command
        == .events(
          EventsCommand(
            composer: "Search", text: "toggle", kinds: [.started, .ended], last: 5, follows: true)))
  }

  @Test func `each subcommand has its arguments`() throws {
    #expect(try command("composers", Self.url) == .composers)
    #expect(try command("event", Self.url, "#12") == .event(EventCommand(event: 12)))
    #expect(try command("why", Self.url, "12") == .why(WhyCommand(event: 12)))
    #expect(
      try command("diff", Self.url, "Search", "3", "#9")
        == .diff(DiffCommand(composer: "Search", from: 3, to: 9)))
    #expect(
      try command("template", Self.url, "Search", "add")
        == .template(TemplateCommand(composer: "Search", name: "add")))
    #expect(
      try command("state", Self.url, "Search", "--event", "3", "--path", "rows[id: 7].title")
        == .state(StateCommand(composer: "Search", event: 3, path: ["rows", "id: 7", "title"])))
    #expect(
      try command("effects", "--running", Self.url, "--composer", "1")
        == .effects(EffectsCommand(composer: "1", isRunning: true)))
    #expect(
      try command("send", Self.url, "Search", #"{"add": {"_0": 1}}"#)
        == .send(SendCommand(composer: "Search", action: ["add": ["_0": 1]])))
    guard case .mcp(let address) = try Arguments(["mcp", Self.url]) else {
      Issue.record("no server")
      return
    }
    #expect(address.host == "127.0.0.1:51234")
  }

  @Test func `sockets, servers and recordings have commands`() throws {
    #expect(try command("sockets", Self.url) == .sockets(isLive: nil))
    #expect(try command("sockets", Self.url, "--live") == .sockets(isLive: true))
    #expect(try command("servers", Self.url) == .servers)
    #expect(try command("cut", Self.url, "feed") == .cut(CutCommand(socket: "feed")))
    #expect(
      try command("slow", Self.url, "feed", "500")
        == .slow(SlowCommand(socket: "feed", milliseconds: 500)))
    #expect(try command("clocks", Self.url) == .clocks(ClocksCommand()))
    #expect(
      try command("pause", Self.url, "2") == .clock(ClockCommand(clock: 2, control: .pause)))
    #expect(try command("resume", Self.url) == .clock(ClockCommand(control: .resume)))
    #expect(
      try command("step", Self.url, "--by", "0.5")
        == .clock(ClockCommand(control: .step(by: 0.5))))
    #expect(
      try command("fork", Self.url, "App", "#12")
        == .fork(ForkCommand(composer: "App", event: 12)))
    #expect(try command("end-fork", Self.url, "7") == .endFork(EndForkCommand(composer: "7")))
    #expect(
      try command("compare", Self.url, "1", "2")
        == .compare(CompareCommand(first: "1", second: "2")))
    #expect(
      try command("compare", Self.url, "1", "2", "--outside")
        == .compare(CompareCommand(first: "1", second: "2", isOfOutside: true)))
    #expect(try command("import", Self.url, "a.jsonl") == .import(ImportCommand(file: "a.jsonl")))
    #expect(
      try command("export", Self.url, "App", "--from", "3", "--to", "#5")
        == .export(ExportCommand(composer: "App", from: 3, to: 5)))
    let test = ExportCommand.Test(name: "it adds", make: "App(1)", expected: "state.json")
    #expect(
      try command(
        "export", Self.url, "App", "--test", "--name", "it adds", "--make", "App(1)", "--expected",
        "state.json") == .export(ExportCommand(composer: "App", test: test)))
  }

  @Test func `--json and --help belong to each subcommand`() throws {
    guard case .command(_, _, isJSON: true) = try Arguments(["composers", Self.url, "--json"])
    else {
      Issue.record("no JSON")
      return
    }
    #expect(try Arguments(["why", "--help"]) == .help)
  }

  @Test(arguments: [
    ([], ArgumentError.missingAddress), (["composers"], .missingAddress),
    (["localhost"], .noSecret("localhost")),
    (["dif", url], .unknownCommand("dif")), (["diff", url, "App"], .missing("EVENT")),
    (["template", url, "App"], .missing("ACTION")), (["ftp://a/b"], .notAnAddress("ftp://a/b")),
    (["why", url], .missing("EVENT")), (["why", url, "x"], .notANumber("x", of: "EVENT")),
    ([url, "--last", "-1"], .notANumber("-1", of: "--last")),
    ([url, "--last"], .missingValue("--last")), ([url, "--fellow"], .unknownOption("--fellow")),
    ([url, "more"], .unexpected("more")), ([url, "--kinds", "steps"], .unknownKind("steps")),
    (["send", url, "Search", "{"], .notJSON("{")),
    (["mcp", url, "--json"], .unknownOption("--json")),
    (["fork", url, "App"], .missing("EVENT")), (["cut", url], .missing("SOCKET")),
    (["slow", url, "feed"], .missing("MILLISECONDS")),
    (["pause", url, "x"], .notANumber("x", of: "CLOCK")),
    (["step", url, "--by", "0"], .notSeconds("0", of: "--by")),
    (["step", url, "--by", "inf"], .notSeconds("inf", of: "--by")),
    (["compare", url, "1"], .missing("COMPOSER")), (["import", url], .missing("FILE")),
    (["export", url, "App", "--name", "x"], .missing("--test")),
  ])
  func `wrong arguments are an error that names them`(
    _ words: [String], _ error: ArgumentError
  ) {
    #expect(throws: error) { try Arguments(words) }
  }

  @Test(arguments: [
    "http://127.0.0.1:1/abc/", "http://127.0.0.1:1/abc", "ws://127.0.0.1:1/abc/socket",
    "127.0.0.1:1/abc/", "http://127.0.0.1:1/abc/index.html#/steps",
  ])
  func `the address of the page and of the socket are the same inspector`(_ text: String) throws {
    let address = try InspectorAddress(text)
    #expect(address.socketURL == "ws://127.0.0.1:1/abc/socket")
    #expect(address.host == "127.0.0.1:1")
  }

  @Test func `an https page has a wss socket`() throws {
    #expect(try InspectorAddress("https://host/abc/").socketURL == "wss://host/abc/socket")
  }

  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a.b", ["a", "b"]), ("rows[id: 7].title", ["rows", "id: 7", "title"]),
    ("rows[0][1]", ["rows", "0", "1"]), ("names[a.b[0]].x", ["names", "a.b[0]", "x"]),
    ("names[]", ["names", ""]), ("a[", ["a"]),
  ])
  func `paths are read as rows print them`(_ text: String, _ names: [String]) {
    #expect(PathText.names(in: text) == names)
  }
}
