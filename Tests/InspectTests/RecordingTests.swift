import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import inspect

@Suite("Recordings in inspect", .workerPool)
struct InspectRecordingTests {
  private let program: InspectedShop
  private let call: ToolCalls

  init() throws {
    program = try InspectedShop()
    call = try ToolCalls(program.inspector)
  }

  private var url: String { program.inspector.url }

  /// Runs `body` with the path of a file that has `text`.
  private func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "inspect test \(UUID().uuidString).jsonl")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await body(file.path)
  }

  @Test func `a composer is exported as JSON lines, and a part of it`() async throws {
    for number in 1...3 { program.shop.send(.add(number)) }
    let text = try await program.lines("export", url, "1").joined(separator: "\n")
    let timeline = try Timeline<Shop.State, Shop.Action>(jsonLines: text)
    #expect(timeline.steps.map(\.state.count) == [1, 3, 6])
    #expect(!text.hasSuffix("\n"))
    let part = try await call.text("export_recording", ["composer": "1", "from": 3])
    #expect(try Timeline<Shop.State, Shop.Action>(jsonLines: part).steps.map(\.number) == [2, 3])
  }

  @Test func `a test is exported with its name, its composer and a corrected state`() async throws {
    program.shop.send(.add(1))
    program.shop.send(.add(2))
    let corrected = #"{"count": 5, "prices": [], "isWatched": false}"#
    try await withFile(corrected) { path in
      let lines = try await program.lines(
        "export", url, "Shop", "--from", "2", "--test", "--name", "two is added twice", "--make",
        "Shop(open: true)", "--expected", path)
      let text = lines.joined(separator: "\n")
      #expect(text.contains("@Test func `two is added twice`() throws {"))
      #expect(text.contains("recording.replay(into: Shop(open: true))"))
      #expect(text.contains("\"count\":5"))
    }
    try await withFile("nonsense") { path in
      await #expect(throws: InspectError.invalid("\(path) is not JSON")) {
        try await program.lines("export", url, "Shop", "--test", "--expected", path)
      }
    }
    let test = try await call.text(
      "export_test",
      [
        "composer": "Shop", "to": 2, "name": "one is added", "make": "Shop()",
        // As a text, from a client that has no other values.
        "expected": .string(corrected),
      ])
    #expect(test.contains("@Test func `one is added`() throws {"))
    #expect(test.contains("// The state after the last step is the corrected one"))
    let wrong = try await call("export_test", ["composer": "Shop", "expected": ["count": "x"]])
    #expect(wrong["isError"] == true)
    #expect(wrong.resultText.hasPrefix("The corrected state is not one: "))
  }

  @Test func `a wrong value of the last state is corrected by its path`() async throws {
    program.shop.send(.refresh)
    func export(_ correction: String) async throws -> String {
      try await program.lines(
        "export", url, "Shop", "--to", "1", "--test", "--set", correction
      ).joined(separator: "\n")
    }
    #expect(try await export("prices[2]=20").contains("\"prices\":[0,1,20,3,"))
    #expect(try await export("isWatched=true").contains("\"isWatched\":true"))
    let same = await #expect(throws: InspectError.self) { try await export("count=0") }
    #expect(same?.description == "count is 0 already.")
    for place in ["price[2]", "prices[300]", "count.value"] {
      await #expect(throws: InspectError.self) { try await export("\(place)=20") }
    }
    let test = try await call.text(
      "export_test", ["composer": "Shop", "to": 1, "set": ["prices[2]": 20, "isWatched": true]])
    #expect(test.contains("\"prices\":[0,1,20,3,") && test.contains("\"isWatched\":true"))
    let wrong = try await call("export_test", ["composer": "Shop", "set": ["sum": 1]])
    #expect(wrong.resultText.hasPrefix("The state has no value at sum."))
    let list = try await call("export_test", ["composer": "Shop", "set": ["isWatched"]])
    #expect(list.resultText.hasPrefix("set must be an object of values by their paths"))
  }

  @Test func `a correction has the names of its path`() throws {
    #expect(
      try Correction("rows[id: a=b].isDone=true")
        == Correction(path: ["rows", "id: a=b", "isDone"], json: true))
  }

  @Test(arguments: ["isDone", "=true", "isDone=yes", ""])
  func `a correction needs a path and JSON`(text: String) {
    #expect(throws: ArgumentError.notACorrection(text)) { try Correction(text) }
  }

  @Test func `an export that is too long for an assistant says what to ask for instead`()
    async throws
  {
    program.shop.send(.refresh)
    for number in 1...100 { program.shop.send(.add(number)) }
    let result = try await call("export_test", ["composer": "1"])
    #expect(result["isError"] == true)
    #expect(result.resultText.contains("Choose fewer events with from and to"))
    #expect(try await call("export_test", ["composer": "1", "from": 100])["isError"] == false)
  }

  @Test func `an exported file is imported as a composer`() async throws {
    for number in 1...2_000 { program.shop.send(.add(number)) }
    let text = try await program.lines("export", url, "1").joined(separator: "\n")
    try await withFile(text) { path in
      let lines = try await program.lines("import", url, path)
      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix("composer 2, the recording inspect test ") == true)
      #expect(try await program.lines("import", url, path, "--json") == [#"{"composer":3}"#])
    }
    let composers = try await program.lines("composers", url)
    #expect(composers.contains { $0.contains(".jsonl") && $0.hasSuffix("ended") })
    try await withFile("nonsense\n") { path in
      await #expect(
        throws: InspectError.invalid("Line 1 is not an entry of a recording.")
      ) {
        try await program.lines("import", url, path)
      }
    }
    await #expect(throws: InspectError.self) {
      try await program.lines("import", url, "/no/such/file")
    }
  }

  @Test func `a fork goes on from an earlier state, is compared and released`() async throws {
    for _ in 1...3 { program.shop.send(.add(1)) }
    #expect(
      try await program.lines("fork", url, "1", "2").map(\.withoutNumber) == [
        "composer 2, a fork of Shop after #2"
      ])
    let forked = try await call("fork", ["composer": "1", "event": 0])
    #expect(forked["structuredContent"]?["composer"] == 3)
    #expect(forked.resultText == "The fork of Shop at its start is composer 3.")
    for number in [1, 1, 7] as [JSONValue] {
      _ = try await call("dispatch", ["composer": 3, "action": ["add": ["_0": number]]])
    }
    let compared = try await call("compare", ["composer": "1", "other": 3])
    let lines = compared.resultText.split(separator: "\n")
    #expect(lines.first == "equal: the first 2 steps")
    #expect(lines.dropFirst().first == "different: the next step")
    #expect(lines.contains { $0.hasSuffix("count: 3 → 9") })
    #expect(compared["structuredContent"]?["equalSteps"] == 2)
    #expect(try await program.lines("compare", url, "1", "1") == ["equal: all, 3 steps"])
    let ended = try await program.lines("compare", url, "1", "2")
    #expect(ended.contains("  the second has no more steps"))
    #expect(try await program.lines("end-fork", url, "2").isEmpty)
    #expect(try await call("end_fork", ["composer": 3])["isError"] == false)
    let refused = try await call("end_fork", ["composer": 1])
    #expect(refused["isError"] == true)
    let composers = try await program.lines("composers", url)
    #expect(composers.count { $0.contains(", fork of 1 after #") && $0.hasSuffix("ended") } == 2)
  }

  @Test func `an inspector that does not let clients act refuses forks and files`() async throws {
    let program = try InspectedShop { $0.canAct = false }
    program.shop.send(.add(1))
    let text = try await program.lines("export", program.inspector.url, "1")
    for command in [["fork", "1", "1"], ["cut", "1"], ["slow", "1", "1"]] {
      let words = [command[0], program.inspector.url] + command.dropFirst()
      await #expect(throws: InspectError.self) { try await CommandRun.lines(words) }
    }
    try await withFile(text.joined(separator: "\n")) { path in
      let error = await #expect(throws: InspectError.self) {
        try await program.lines("import", program.inspector.url, path)
      }
      #expect(error.map { "\($0)" }?.hasPrefix("Acting is turned off.") == true)
    }
  }

  // MARK: Pure

  @Test func `a comparison describes the first difference`() {
    let names = SourceNames([ComposerInfo(composer: 1, name: "App")])
    let format = RowFormat(started: 0, names: names, isAligned: false)
    let row = Row(event: 3, composer: 1, time: 1, kind: "step", step: 3)
    let difference = Comparison.Difference(position: 0, rows: [row, nil], changes: [])
    #expect(
      ComparisonReport.lines(Comparison(equalSteps: 0, difference: difference), format).map(\.text)
        == [
          "equal: the first 0 steps", "different: the next step", "  #3 1.000 App step 3",
          "  the second has no more steps",
        ])
    #expect(
      ComparisonReport.lines(Comparison(equalSteps: 1), format).map(\.text) == [
        "equal: all, 1 step"
      ])
    #expect(
      ComparisonReport.lines(Comparison(equalSteps: 10_000, isCut: true), format).map(\.text) == [
        "equal: the first 10,000 steps", "not compared: the steps behind them",
      ])
    let change = ValueChange(
      path: "", old: ValueNode(kind: "number", text: "1"),
      new: ValueNode(kind: "number", text: "2"))
    let ofActions = Comparison.Difference(
      position: 0, rows: [row, row], changes: [], actionChanges: [change])
    #expect(
      ComparisonReport.lines(Comparison(equalSteps: 0, difference: ofActions), format)
        .map(\.text).suffix(2) == [
          "from the first action to the second", "  action: 1 → 2",
        ])
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n7", HTTPPost.Answer(status: 200, body: "7")),
    ("HTTP/1.1 400 Bad Request\r\n\r\n", .init(status: 400, body: "")), ("", nil),
    ("HTTP/1.1 200 OK\r\n", nil), ("SSH-2.0\r\n\r\n", nil), ("HTTP/1.1 x\r\n\r\n", nil),
  ])
  func `an answer has a status and a body`(_ text: String, _ answer: HTTPPost.Answer?) {
    #expect(HTTPPost.Answer(Data(text.utf8)) == answer)
  }
}
