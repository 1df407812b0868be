import Inspector
import TestSupport
import Testing

@testable import inspect

@Suite("The MCP tools of inspect", .workerPool)
struct InspectMCPToolTests {
  private let program: InspectedShop
  private let call: ToolCalls

  init() throws {
    program = try InspectedShop()
    call = try ToolCalls(program.inspector)
  }

  private func text(_ result: JSONValue) -> String { result.resultText }

  @Test func `an assistant finds a composer, sends an action and sees its steps`() async throws {
    let composers = try await call("composers")
    #expect(text(composers).contains("Shop"))
    guard case .array(let list) = composers["structuredContent"]?["composers"] else {
      Issue.record("no structured content: \(composers)")
      return
    }
    #expect(list.map { $0["type"] } == ["Shop"])
    let template = try await call("template", ["composer": "Shop", "name": "add"])
    #expect(text(template) == #"{"add":{"_0":0}}"#)
    let sent = try await call("dispatch", ["composer": "Shop", "action": ["add": ["_0": 7]]])
    #expect(text(sent) == #"Sent to Shop: {"add":{"_0":7}}"#)
    // As a text, and by number.
    _ = try await call("dispatch", ["composer": 1, "action": #"{"refresh":{}}"#])
    let steps = text(try await call("steps")).split(separator: "\n")
    #expect(steps.count == 4)
    #expect(steps[0] == "3 of 3 events")
    #expect(steps[1].contains("Shop step 1: add(7)   count: 0 → 7"))
    #expect(steps[3].contains("Shop step 3 by"))
  }

  @Test func `an assistant reads states, changes, causes and effects`() async throws {
    program.shop.send(.refresh)
    program.shop.send(.watch)
    let state = try await call("state_at", ["composer": "Shop", "event": 0])
    #expect(text(state).hasPrefix("state of Shop at its start\n{"))
    #expect(state["structuredContent"]?["state"]?["count"] == 0)
    let part = try await call("state_at", ["composer": "Shop", "path": "prices", "from": 298])
    #expect(text(part).hasSuffix("prices: [298, 299, … 298 more]"))
    let diff = text(try await call("diff", ["composer": "Shop", "from": 0]))
    #expect(diff.contains("count: 0 → 10"))
    #expect(diff.contains("isWatched: false → true"))
    #expect(text(try await call("why", ["event": 2])).contains("caused by\n  #1"))
    #expect(text(try await call("event", ["event": 1])).contains("changes"))
    #expect(text(try await call("effects", ["running": true])).contains("watch: running"))
  }

  @Test func `errors of the program are results`() async throws {
    for (tool, arguments) in [
      ("event", ["event": 99]), ("state_at", ["composer": "Till"]),
      ("dispatch", ["composer": "Shop", "action": ["add": [:]]]),
    ] as [(String, JSONValue)] {
      let result = try await call(tool, arguments)
      #expect(result["isError"] == true)
      #expect(!text(result).isEmpty)
    }
  }

  @Test func `steps are chosen by kind, text and number`() async throws {
    for number in 1...300 { program.shop.send(.add(number)) }
    program.shop.send(.watch)
    #expect(text(try await call("steps", ["last": 3])).split(separator: "\n").count == 4)
    #expect(text(try await call("steps", ["text": "add(250)"])).hasPrefix("1 of 1 event\n"))
    #expect(
      text(try await call("steps", ["kinds": ["started"]])).contains(
        "effect 1 started by the state, watch"))
    #expect(text(try await call("steps", ["last": 200])).count < ToolResult.limit + 100)
  }

  @Test func `an ended program is an error, and the next call connects again`() async throws {
    #expect(text(try await call("composers")).contains("Shop"))
    program.inspector.stop()
    let ended = try await call("composers")
    #expect(ended["isError"] == true)
    let again = try await call("composers")
    #expect(again["isError"] == true)
    #expect(text(again).contains("Check that the program runs."))
  }
}
