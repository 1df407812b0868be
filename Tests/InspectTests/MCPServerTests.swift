import Inspector
import TestSupport
import Testing

@testable import inspect

@Suite("The MCP server of inspect", .workerPool)
struct InspectMCPServerTests {
  /// A server whose program cannot be reached.
  private let server: MCPServer

  init() throws {
    server = MCPServer(program: ProgramLink(try InspectorAddress("http://127.0.0.1:1/abc/")))
  }

  private func answer(_ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
    let request: JSONValue = [
      "jsonrpc": "2.0", "id": 1, "method": .string(method), "params": params,
    ]
    let answer = await server.answer(to: request.json) ?? "null"
    #expect(!answer.contains("\n"))
    return try JSONValue(json: answer)
  }

  @Test(arguments: [
    ("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2099-01-01", "2025-06-18"),
  ])
  func `the version of the client is used if it is known`(
    _ wanted: String, _ used: String
  ) async throws {
    let answer = try await answer("initialize", ["protocolVersion": .string(wanted)])
    #expect(answer["result"]?["protocolVersion"] == .string(used))
    #expect(answer["result"]?["capabilities"]?["tools"] == [:])
    #expect(answer["id"] == 1)
  }

  @Test func `a ping is answered, a notification and an answer are not`() async throws {
    #expect(try await answer("ping")["result"] == [:])
    let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    #expect(await server.answer(to: initialized) == nil)
    #expect(await server.answer(to: #"{"jsonrpc":"2.0","id":1,"result":{}}"#) == nil)
    #expect(await server.answer(to: "") == nil)
  }

  @Test(arguments: [
    ("{", -32700), ("[]", -32600), ("7", -32600), (#"{"id":1,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":"a","method":"resources/list"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"nothing"}}"#, -32602),
  ])
  func `a wrong message is answered with an error`(_ line: String, _ code: Int64) async throws {
    let answer = try JSONValue(json: await server.answer(to: line) ?? "")
    #expect(answer["error"]?["code"] == .integer(code))
    #expect(answer["id"] == (line.contains(#""a""#) ? "a" : line.contains("id") ? 1 : .null))
  }

  @Test func `a batch is answered with a batch`() async throws {
    let batch = #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]"#
    let answer = try JSONValue(json: await server.answer(to: batch) ?? "")
    #expect(answer == [["jsonrpc": "2.0", "id": 1, "result": [:]]])
  }

  @Test func `each tool has a description and a schema of its parameters`() async throws {
    guard case .array(let tools) = try await answer("tools/list")["result"]?["tools"] else {
      Issue.record("no tools")
      return
    }
    #expect(
      tools.compactMap { $0["name"]?.text } == [
        "composers", "steps", "event", "state_at", "diff", "why", "effects", "sockets", "servers",
        "subscriptions", "template", "dispatch", "cut", "slow", "clocks", "pause_clock",
        "step_clock", "resume_clock", "fork", "end_fork", "compare", "export_test",
        "export_recording",
      ])
    // A fork changes nothing that exists.
    let changing = [
      "dispatch": true, "cut": true, "slow": true, "pause_clock": true, "step_clock": true,
      "resume_clock": true, "fork": false, "end_fork": true,
    ]
    for tool in tools {
      #expect((tool["description"]?.text?.count ?? 0) > 50)
      #expect(tool["inputSchema"]?["type"] == "object")
      let isDestructive = changing[tool["name"]?.text ?? ""]
      #expect(tool["annotations"]?["readOnlyHint"] == .bool(isDestructive == nil))
      // The effects of an action run for real.
      #expect(tool["annotations"]?["openWorldHint"] == .bool(isDestructive != nil))
      #expect(tool["annotations"]?["destructiveHint"] == isDestructive.map { .bool($0) })
    }
    #expect(
      tools[2]["inputSchema"]?["properties"]?["event"]
        == [
          "type": "integer", "minimum": 0, "description": "Number of the event, 12 for #12.",
        ])
    #expect(tools[2]["inputSchema"]?["required"] == ["event"])
  }

  @Test(
    arguments: [
      ("event", [:], "event needs event."),
      ("event", ["event": "x"], "event must be an integer from 0."),
      ("steps", ["last": 1_000], "last must be an integer from 1 to 200."),
      ("steps", ["lost": 1], "steps has no parameter lost. It has: composer, text, kinds, last."),
      (
        "steps", ["kinds": ["steps"]],
        "kinds must be a list of step, started, ended, received, sent, socket."
      ),
      ("steps", [1], "The arguments of steps must be an object."),
    ] as [(String, JSONValue, String)])
  func `wrong arguments are a result that the assistant can correct`(
    _ tool: String, _ arguments: JSONValue, _ problem: String
  ) async throws {
    let result = try await answer("tools/call", ["name": .string(tool), "arguments": arguments])
    #expect(result["result"]?["isError"] == true)
    #expect(result["result"]?["content"] == [["type": "text", "text": .string(problem)]])
  }

  @Test func `without a program a tool has an error that says so`() async throws {
    let result = try await answer("tools/call", ["name": "composers"])["result"]
    #expect(result?["isError"] == true)
    #expect(result?.json.contains("Check that the program runs.") == true)
  }

  @Test func `structured content that is longer than a result is left out`() {
    let values = (0..<10_000).map { JSONValue.integer(Int64($0)) }
    #expect(
      ToolResult("text", structured: ["rows": .array(values)]).json["structuredContent"] == nil)
    let short: JSONValue = ["rows": .array(Array(values.prefix(100)))]
    #expect(ToolResult("text", structured: short).json["structuredContent"] == short)
  }

  @Test(arguments: [129, 512, 513, 100_000])
  func `a line of many brackets is answered with an error`(_ count: Int) async throws {
    for line in [
      String(repeating: "[", count: count), String(repeating: #"{"a":"#, count: count),
      String(repeating: "[", count: count) + String(repeating: "]", count: count),
    ] {
      let answer = try JSONValue(json: await server.answer(to: line) ?? "")
      #expect(answer["error"]?["code"] == -32700)
    }
  }

  @Test func `a text that ends with its bracket of level 513 is an error`() {
    let text = String(repeating: #"{"a":"#, count: 512) + "{"
    #expect(throws: DecodingError.self) { try JSONValue(json: text) }
  }

  @Test func `long results are cut, with what to do instead`() {
    let lines = (1...10_000).map { "line \($0)" }
    let result = ToolResult(
      lines + [String(repeating: "x", count: 5_000)], whenCut: "Ask for fewer.")
    #expect(result.text.count < ToolResult.limit + 100)
    #expect(result.text.hasSuffix(" lines of 10,001 cut. Ask for fewer."))
    #expect(ToolResult([String(repeating: "x", count: 5_000)], whenCut: "").text.count == 1_001)
  }
}
