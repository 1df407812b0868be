import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Recordings", .workerPool)
struct RecordingTests {
  private let inspector: Inspector
  private let sample = Composed(sending: Sample())

  init() throws {
    inspector = try .ofAdded()
    inspector.add(sample, fork: { Sample() })
  }

  private func export(_ client: InspectorClient, _ params: AnyJSON) async throws -> String {
    try await client("export", params)["text"]?.text ?? ""
  }

  @discardableResult private func importFile(
    _ lines: String, name: String = "file"
  ) async throws -> (Data, URLResponse) {
    var request = URLRequest(url: try #require(URL(string: inspector.url + "import?" + name)))
    request.httpMethod = "POST"
    request.httpBody = Data(lines.utf8)
    return try await URLSession.shared.data(for: request)
  }

  @Test func `a recording is the timeline of the composer as JSON lines`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    for number in 1...3 { sample.send(.add(number)) }
    sample.send(.watch(true))
    let text = try await export(client, ["composer": 1, "format": "jsonLines"])
    let timeline = try Timeline<Sample.State, Sample.Action>(jsonLines: text)
    #expect(timeline.steps.map(\.state.count) == [1, 3, 6, 6])
    #expect(timeline.entries.count == 5)
    #expect(timeline.replay(into: Sample()).difference(from: timeline) == nil)
  }

  @Test func `a part of a recording begins with the state before it`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    for number in 1...4 { sample.send(.add(number)) }
    let text = try await export(
      client, ["composer": 1, "format": "jsonLines", "from": 3, "to": 3])
    let timeline = try Timeline<Sample.State, Sample.Action>(jsonLines: text)
    #expect(timeline.steps.map(\.state.count) == [3, 6])
    #expect(timeline.steps.map(\.number) == [2, 3])
    #expect(timeline.replay(into: Sample()).difference(from: timeline) == nil)
  }

  @Test func `an exported test has the corrected state, and fails until the reducer returns it`()
    async throws
  {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(1))
    sample.send(.add(2))
    let text = try await export(
      client,
      [
        "composer": 1, "format": "swiftTest", "from": 2, "name": "`two` is\nadded twice",
        "expected": ["count": 5, "rows": [], "isWatching": false, "password": ""],
      ])
    #expect(text.contains("@testable import InspectorTests"))
    #expect(text.contains("@Test func `two is added twice`() throws {"))
    #expect(text.contains("// step 2 by outside: add(2); count: 1 → 3"))
    #expect(text.contains("Timeline<Sample.State, Sample.Action>("))
    #expect(text.contains("recording.replay(into: Sample())"))
    let literal = try #require(text.split(separator: "#\"\"\"\n").dropFirst().first)
    let lines = literal.split(separator: "\"\"\"#")[0]
    let timeline = try Timeline<Sample.State, Sample.Action>(jsonLines: String(lines))
    #expect(
      timeline.replay(into: Sample()).difference(from: timeline)?
        .hasPrefix("entry 2: step.state.count: 5 → 3") == true)
  }

  @Test func `an exported test compiles whatever its texts contain`() {
    let source = TestSource(
      name: "", typeName: "Main.App", maker: nil, lines: ["{\"a\":\"" + "\"\"\"###" + "\"}"],
      steps: ["step 1: \u{2028}evil\n#error(\"x\")"], isCorrected: false
    ).text
    #expect(source.contains("@Test func `a recorded test`()"))
    #expect(source.contains("####\"\"\""))
    #expect(!source.contains("\n#error"))
    #expect(source.contains("@testable import Main"))
  }

  @Test(arguments: ["+", "->", "//", "/*", "?", "...", "$", "\u{200e}", "``", " "])
  func `a name that Swift does not have is replaced`(name: String) {
    let source = TestSource(
      name: name, typeName: "Main.App", maker: nil, lines: [], steps: [], isCorrected: false
    ).text
    #expect(source.contains("@Test func `a recorded test`()"))
  }

  @Test func `characters that cannot be seen are escaped in a test`() throws {
    let line = "{\"a\":\"1\u{7f}\u{202e}\u{a0}2\"}"
    let source = TestSource(
      name: "a\u{202e}b", typeName: "Main.App", maker: nil, lines: [line],
      steps: ["step\u{202e}"], isCorrected: false
    ).text
    #expect(source.contains(#"{"a":"1\u007f\u202e\u00a02"}"#))
    #expect(!source.unicodeScalars.contains("\u{202e}"))
    let escaped = try AnyJSON(parsing: #"{"a":"1\u007f\u202e\u00a02"}"#)
    #expect(try escaped == AnyJSON(parsing: line))
  }

  @Test func `the events of files count with their own sizes`() async throws {
    let inspector = try Inspector.ofAdded { $0.byteLimit = 4 << 20 }
    let sample = Composed(sending: Sample())
    inspector.add(sample)
    let client = try await InspectorClient.greeted(inspector.url)
    for _ in 1...4 { sample.send(.add(1)) }
    sample.send(.loaded([Sample.Row(id: 1, title: "TITLE")]))
    // Only the last step is large.
    let large = String(repeating: "x", count: 3 << 20)
    let text = try await export(client, ["composer": 1, "format": "jsonLines"])
      .replacing("TITLE", with: large)
    for number in 1...3 {
      var request = URLRequest(url: try #require(URL(string: inspector.url + "import?\(number)")))
      request.httpMethod = "POST"
      request.httpBody = Data(text.utf8)
      _ = try await URLSession.shared.data(for: request)
    }
    #expect(try await client.failure("event", ["event": 6])?.code == -32004)
  }

  @Test func `a file with line feeds of Windows is imported, and its pairs are hidden`()
    async throws
  {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(1))
    let text = try await export(client, ["composer": 1, "format": "jsonLines"])
    let lines = text.replacing("\n", with: "\r\n").replacing(
      #""title":"#, with: #""headers":[{"name":"Authorization","value":"S3CRET"}],"title":"#)
    try await importFile(lines, name: "windows")
    let listed = try await client("composers")["composers"]?.elements ?? []
    #expect(listed.count == 2)
    let shown = try await client("json", ["composer": listed.last?["composer"] ?? 2])
    #expect(shown["text"]?.text?.contains("S3CRET") == false)
  }

  @Test(
    arguments: [
      (nil, nil, "YourModule by the module of the composer, and YourComposer by its type"),
      (nil, "App(a: 1)", "YourModule by the module of the composer"),
      ("App", nil, "YourModule by the module of the composer"),
    ] as [(String?, String?, String)])
  func `a test of an unknown type says what to replace, and does not compile`(
    type: String?, maker: String?, missing: String
  ) {
    let text = TestSource(
      name: "a", typeName: type, maker: maker, lines: [], steps: [], isCorrected: false
    ).text
    #expect(
      text.contains(
        "\n#error(\"The recording does not have this: replace \(missing). Then remove this line.\")\n@Test"
      ))
    let name = type ?? (maker == nil ? "YourComposer" : "App")
    #expect(text.contains("Timeline<\(name).State, \(name).Action>"))
    #expect(text.contains("replay(into: \(maker ?? name + "()"))"))
  }

  @Test func `a comment has one line for each step, of at most 100 columns`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let rows = (0..<50).map { Sample.Row(id: $0, title: String(repeating: "long ", count: 20)) }
    sample.send(.loaded(rows))
    sample.send(.add(1))
    let text = try await export(client, ["composer": 1, "format": "swiftTest"])
    let comments = text.split(separator: "\n").filter { $0.hasPrefix("  // step") }
    #expect(comments.count == 2)
    #expect(comments.allSatisfy { $0.count <= 100 })
    #expect(comments[0].hasPrefix("  // step 1 by outside: loaded([") && comments[0].hasSuffix("…"))
    #expect(comments[0].contains("…; rows"))
    #expect(comments[1] == "  // step 2 by outside: add(1); count: 0 → 1")
  }

  @Test func `parts of the last state are corrected by their paths`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.loaded([Sample.Row(id: 7, title: "Milk")]))
    func export(_ set: AnyJSON, _ others: [String: AnyJSON] = [:]) -> AnyJSON {
      let params = ["composer": 1, "format": "swiftTest", "set": set] as [String: AnyJSON]
      return .object(params.merging(others) { $1 })
    }
    let set: AnyJSON = [
      ["path": ["rows", "id: 7", "title"], "json": "Tea"], ["path": ["count"], "json": 3],
    ]
    let text = try await self.export(client, export(set))
    #expect(text.contains(#""rows":[{"id":7,"title":"Tea"}]"#) && text.contains(#""count":3"#))
    #expect(text.contains("the corrected one"))
    let expected: AnyJSON = ["count": 5, "rows": [], "isWatching": false, "password": ""]
    let both = try await self.export(
      client, export([["path": ["count"], "json": 6]], ["expected": expected]))
    #expect(both.contains(#""count":6"#) && !both.contains("Tea"))
    for (path, json, message) in [
      (["total"], 1, "The state has no value at total. "),
      (["rows", "id: 8", "title"], "Tea", "The state has no value at rows[id: 8].title. "),
      (["count"], 0, "count is 0 already."),
      (["count"], "many", "The corrected state is not one: "),
    ] as [(AnyJSON, AnyJSON, String)] {
      let failure = try await client.failure("export", export([["path": path, "json": json]]))
      #expect(failure?.code == -32602)
      #expect(failure?.message.hasPrefix(message) == true, "\(failure?.message ?? "")")
    }
  }

  @Test func `a file names the type of its composer, which a test of it has`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(1))
    let lines = try await export(client, ["composer": 1, "format": "jsonLines"])
    #expect(try Timeline<Sample.State, Sample.Action>(jsonLines: lines).steps.count == 1)
    try await importFile(lines, name: "old.run.jsonl")
    let listed = try await client("composers")["composers"]?.elements ?? []
    #expect(listed.map { $0["type"] } == ["Sample", "Sample"])
    let test = try await export(client, ["composer": 2, "format": "swiftTest"])
    #expect(!test.contains("#error") && test.contains("@testable import InspectorTests"))
    #expect(test.contains("recording.replay(into: Sample())"))
    // What an imported file exports again names it too.
    let again = try await export(client, ["composer": 2, "format": "jsonLines"])
    #expect(again.contains(#""composer":"InspectorTests.Sample""#))
  }

  @Test(arguments: ["", "1", "App()", "App\n#error", "A`b", String(repeating: "A", count: 501)])
  func `a text that is not the name of a type is not taken for one`(name: String) throws {
    let line = try AnyJSON.object(["composer": .string(name)]).line
    #expect(RecordedType.name(in: Data(line.utf8)) == nil)
  }

  @Test func `a test of a file is corrected where the file has a value`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(1))
    let lines = try await export(client, ["composer": 1, "format": "jsonLines"])
    try await importFile(lines.replacing(#""composer":"InspectorTests.Sample","#, with: ""))
    let params: [String: AnyJSON] = ["composer": 2, "format": "swiftTest"]
    let right: AnyJSON = [["path": ["count"], "json": 2]]
    let text = try await export(client, .object(params.merging(["set": right]) { $1 }))
    #expect(text.contains("#error(\"") && text.contains("\"count\":2"))
    let wrong: AnyJSON = [["path": ["sum"], "json": 2]]
    #expect(
      try await client.failure("export", .object(params.merging(["set": wrong]) { $1 }))?.message
        .hasPrefix("The state has no value at sum. ") == true)
  }

  @Test func `a corrected state that is no state is refused`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(1))
    let failure = try await client.failure(
      "export",
      ["composer": 1, "format": "swiftTest", "expected": ["count": "many"]])
    #expect(failure?.code == -32602)
    #expect(failure?.message.hasPrefix("The corrected state is not one: ") == true)
  }

  @Test func `a composer without Codable values is not exported`() async throws {
    let plain = Composed(sending: Plain())
    inspector.add(plain)
    plain.send(1)
    let client = try await InspectorClient.greeted(inspector.url)
    let failure = try await client.failure("export", ["composer": 2, "format": "jsonLines"])
    #expect(failure?.message.contains("must conform to Codable") == true)
    #expect(
      try await client.failure("export", ["composer": 1, "format": "jsonLines"])?.message
        == "There is no step between these events.")
  }

  private final class Plain: Composer {
    typealias Action = Int
    struct State {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
  }

  @Test func `hidden values are not exported`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.logIn(password: "hunter2"))
    for format in ["jsonLines", "swiftTest"] {
      let text = try await export(client, ["composer": 1, "format": .string(format)])
      #expect(!text.contains("hunter2"))
      #expect(text.contains("•••"))
    }
  }

  @Test func `a fork begins with an earlier state and goes on beside the live composer`()
    async throws
  {
    let client = try await InspectorClient.greeted(inspector.url)
    for _ in 1...3 { sample.send(.add(1)) }
    let fork = try #require(
      try await client("fork", ["composer": 1, "event": 2])["composer"]?.number)
    try await client(
      "send", ["composer": .integer(Int64(fork)), "action": ["add": ["_0": 10]]])
    let state = try await client("state", ["composer": .integer(Int64(fork))])
    #expect(state["value"]?["children"]?[0]?["value"] == ["kind": "number", "text": "12"])
    #expect(sample.state.count == 3)
    let listed = try await client("composers")["composers"]?.elements ?? []
    #expect(listed.map { $0["canFork"] } == [true, true])
    #expect(listed.last?["fork"] == ["composer": 1, "event": 2])
    try await client("endFork", ["composer": .integer(Int64(fork))])
    #expect(try await client.failure("endFork", ["composer": 1])?.code == -32003)
    #expect(try await client("composers")["composers"]?[1]?["isLive"] == false)
  }

  private final class Numbered: Composer {
    typealias Action = Bool
    struct State { var id = "" }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      if action { state.id = Dependencies.current.uuid().uuidString }
      return .none
    }
  }

  @Test func `a fork has the dependencies that it is given`() async throws {
    let composed = Composed(sending: Numbered())
    inspector.add(composed, fork: { Numbered() }) { $0.uuid = { .counted(42) } }
    composed.send(false)
    let client = try await InspectorClient.greeted(inspector.url)
    let fork = try await client("fork", ["composer": 2, "event": 1])["composer"]?.number
    let number = AnyJSON.integer(Int64(try #require(fork)))
    try await client("send", ["composer": number, "action": true])
    let state = try await client("state", ["composer": number])
    #expect("\(state)".contains(UUID.counted(42).uuidString))
  }

  @Test func `two composers are compared up to their first difference`() async throws {
    let other = Composed(sending: Sample())
    inspector.add(other)
    for composed in [sample, other] {
      composed.send(.add(1))
      composed.send(.add(2))
    }
    let client = try await InspectorClient.greeted(inspector.url)
    #expect(
      try await client("compare", ["composers": [1, 2]]) == ["equalSteps": 2, "isCut": false])
    sample.send(.add(3))
    other.send(.add(4))
    let found = try await client("compare", ["composers": [1, 2]])
    #expect(found["equalSteps"] == 2)
    #expect(found["difference"]?["position"] == 2)
    #expect(found["difference"]?["rows"]?.elements.map { $0["text"] } == ["add(3)", "add(4)"])
    #expect(found["difference"]?["changes"]?[0]?["path"] == "count")
  }

  @Test func `a fork is compared from its event on`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    for _ in 1...3 { sample.send(.add(1)) }
    let fork = try #require(
      try await client("fork", ["composer": 1, "event": 2])["composer"]?.number)
    let forked = AnyJSON.integer(Int64(fork))
    try await client("send", ["composer": forked, "action": ["add": ["_0": 1]]])
    #expect(
      try await client("compare", ["composers": [1, forked]]) == ["equalSteps": 1, "isCut": false])
    try await client("send", ["composer": forked, "action": ["add": ["_0": 5]]])
    sample.send(.add(6))
    let found = try await client("compare", ["composers": [forked, 1]])
    #expect(found["equalSteps"] == 1)
    #expect(found["difference"]?["rows"]?.elements.map { $0["text"] } == ["add(5)", "add(6)"])
  }

  @Test func `a file is compared with a live composer`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.loaded([Sample.Row(id: 1, title: "Milk")]))
    sample.send(.add(1))
    try await importFile(try await export(client, ["composer": 1, "format": "jsonLines"]))
    #expect(
      try await client("compare", ["composers": [1, 2]]) == ["equalSteps": 2, "isCut": false])
    sample.send(.add(3))
    let found = try await client("compare", ["composers": [2, 1]])
    #expect(found["equalSteps"] == 2)
    #expect(found["difference"]?["rows"]?.elements.count == 2)
  }

  @Test func `a file that nobody waits for any more is not imported`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    for number in 1...3 { sample.send(.add(number)) }
    let text = try await export(client, ["composer": 1, "format": "jsonLines"])
    let importing = InspectedSample()
    var lines = 0
    #expect(throws: RecordingError.notWanted) {
      try importing.program.addRecording(text, name: "late") {
        lines += 1
        return lines < 3
      }
    }
    #expect(importing.log.composers.count == 1)
  }

  @Test func `a recording that nobody waits for any more is not written further`() throws {
    let sample = InspectedSample()
    for number in 1...9 { sample.send(.add(number)) }
    let record = try #require(sample.log.composers.first)
    let recording = try record.recording(1...9, stepsOnly: false)
    var entries = 0
    #expect(throws: CancellationError.self) {
      try sample.program.reader.values.lines(of: recording) {
        entries += 1
        return entries < 5
      }
    }
    #expect(entries == 5)
  }

  @Test func `no effect of a file runs, also without an end in the file`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.watch(true))
    try await importFile(try await export(client, ["composer": 1, "format": "jsonLines"]))
    let listed = try await client("composers")["composers"]?.elements ?? []
    #expect(listed.map { $0["running"] } == [1, 0])
    let running = try await client("effects", ["isRunning": true])["effects"]?.elements
    #expect(running?.map { $0["composer"] } == [1])
    let effect = try await client("effects", ["composers": [2]])["effects"]?[0]
    #expect(effect?["ended"] != nil && effect?["outcome"] == nil)
  }

  @Test func `a file of an earlier run is shown like a composer`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.add(1))
    sample.send(.loaded([Sample.Row(id: 1, title: "Milk")]))
    let text = try await export(client, ["composer": 1, "format": "jsonLines"])
    let (data, _) = try await importFile(text, name: "old%20run")
    #expect(String(decoding: data, as: UTF8.self) == #"{"composer":2}"#)
    let listed = try #require(try await client("composers")["composers"]?[1])
    #expect(listed["name"] == "old run")
    #expect(listed["isLive"] == false)
    #expect(listed["steps"] == 2)
    let live = try await client("event", ["event": 1])
    let event = try await client("event", ["event": 3])
    #expect(event["row"]?["changes"] == [])
    #expect(event["row"]?["text"] == live["row"]?["text"])
    let loaded = try await client("event", ["event": 4])
    #expect(loaded["row"]?["text"] == #"loaded([(id: 1, title: "Milk")])"#)
    #expect(loaded["row"]?["changes"] == [#"rows: added 1 at 0: (id: 1, title: "Milk")"#])
    #expect(loaded["changes"]?[0]?["names"] == ["rows", "id: 1"])
    #expect(loaded["action"]?[0]?["type"] == "Action")
    let (problem, response) = try await importFile("nonsense\n")
    #expect((response as? HTTPURLResponse)?.statusCode == 400)
    #expect(String(decoding: problem, as: UTF8.self).hasPrefix("Line 1 is not an entry"))
  }
}
