import Inspector
import TestSupport

@testable import inspect

/// A composer whose steps and effects are inspected.
final class Shop: Composer {
  enum Action: Codable, Equatable, Sendable {
    case add(Int)
    case refresh
    case fail
    case watch
  }

  struct State: Codable, Equatable, Sendable {
    var count = 0
    var prices: [Int] = []
    var isWatched = false
  }

  struct Failure: Error {}

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let number): state.count += number
    case .refresh:
      state.prices = Array(0..<300)
      return .send(.add(10))
    case .fail: return .run { _ in throw Failure() }
    case .watch: state.isWatched = true
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isWatched { StateEffect(id: "watch") { .never() } }
  }
}

/// A program with a shop and an inspector, in this process.
struct InspectedShop {
  let inspector: Inspector
  let shop = Composed(sending: Shop())

  init(_ configure: (inout InspectorConfiguration) -> Void = { _ in }) throws {
    var configuration = InspectorConfiguration()
    configuration.observesAll = false
    configure(&configuration)
    inspector = try Inspector(configuration)
    inspector.add(shop, fork: { Shop() })
  }

  func connected() async throws -> InspectorConnection {
    try await .connect(to: InspectorAddress(inspector.url))
  }

  /// Runs a command that ends; returns the lines that it writes.
  func lines(_ words: String...) async throws -> [String] {
    try await CommandRun.lines(words).map(\.withoutNumber)
  }

  /// Runs a command.
  func run(_ words: [String], _ written: WrittenLines) async throws {
    try await CommandRun.run(words, written)
  }
}

/// Runs commands of `inspect` in this process.
enum CommandRun {
  /// Runs a command that ends; returns the lines that it writes.
  static func lines(_ words: [String]) async throws -> [String] {
    let written = WrittenLines()
    try await run(words, written)
    return written.lines.value
  }

  /// Runs a command.
  static func run(_ words: [String], _ written: WrittenLines) async throws {
    guard case .command(let command, let address, let isJSON) = try Arguments(words) else {
      throw ArgumentError.missingAddress
    }
    let output = Output(
      isJSON: isJSON, write: { line in written.lines.update { $0.append(line) } },
      note: { line in written.notes.update { $0.append(line) } })
    try await command.run(on: .connect(to: address), output)
  }
}

/// The tools of `inspect mcp` in this process.
struct ToolCalls {
  let server: MCPServer

  init(_ inspector: Inspector) throws {
    server = MCPServer(program: ProgramLink(try InspectorAddress(inspector.url)))
  }

  /// Calls a tool; returns its result.
  func callAsFunction(_ tool: String, _ arguments: JSONValue = [:]) async throws -> JSONValue {
    let request: JSONValue = [
      "jsonrpc": "2.0", "id": "x", "method": "tools/call",
      "params": ["name": .string(tool), "arguments": arguments],
    ]
    return try JSONValue(json: await server.answer(to: request.json) ?? "")["result"] ?? .null
  }

  /// Calls a tool; returns the text of its result.
  func text(_ tool: String, _ arguments: JSONValue = [:]) async throws -> String {
    try await self(tool, arguments).resultText
  }
}

extension JSONValue {
  /// The text of a tool's result.
  var resultText: String {
    guard case .array(let content) = self["content"] else { return "" }
    return content.first?["text"]?.text?.withoutNumber ?? ""
  }
}

/// What a command writes.
final class WrittenLines: Sendable {
  let lines = Watched<[String]>([])
  let notes = Watched<[String]>([])
}

extension String {
  /// The text without the number in the name of the shop, of which tests make several at once.
  var withoutNumber: String { replacing(/Shop \d+/, with: "Shop") }
}
