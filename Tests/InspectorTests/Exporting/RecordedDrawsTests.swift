import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("Drawn values in recordings", .workerPool)
struct RecordedDrawsTests {
  private let inspector: Inspector
  private let lottery = Composed(sending: Lottery())

  init() throws {
    inspector = try .ofAdded()
    inspector.add(lottery, fork: { Lottery() })
  }

  private func timeline(_ text: String) throws -> Timeline<Lottery.State, Lottery.Action> {
    try Timeline(jsonLines: text)
  }

  /// The lines of the recording in a test.
  private func lines(ofTest text: String) throws -> String {
    let literal = try #require(text.split(separator: "#\"\"\"\n").dropFirst().first)
    return String(literal.split(separator: "\"\"\"#")[0])
  }

  @Test func `a test has what the reducer has drawn, and its replay draws the same`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    lottery.send(.buy)
    lottery.send(.wait)
    lottery.send(.buy)
    for format in ["jsonLines", "swiftTest"] as [AnyJSON] {
      let text =
        try await client("export", ["composer": 1, "format": format, "from": 1])["text"]?.text ?? ""
      let recorded = try timeline(format == "jsonLines" ? text : lines(ofTest: text))
      #expect(recorded.steps.map(\.drawn.count) == [3, 0, 3])
      #expect(recorded.steps.last?.state == lottery.state)
      #expect(recorded.replay(into: Lottery()).difference(from: recorded) == nil)
    }
  }

  @Test func `a fork draws what its origin has drawn for the same actions`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    for action in [.wait, .buy, .buy, .wait, .buy] as [Lottery.Action] { lottery.send(action) }
    let fork = try await client("fork", ["composer": 1, "event": 1])["composer"] ?? .null
    for action in ["buy", "buy", "wait", "buy", "buy"] as [String] {
      try await client("send", ["composer": fork, "action": .object([action: [:]])])
    }
    #expect(
      try await client("compare", ["composers": [1, fork]])["difference"]?["rows"]?[0] == .null)
    let states = try await [1, fork].asyncMap { number in
      try await client("json", ["composer": number])["text"]?.text ?? ""
    }
    let tickets = try states.map { text in
      try JSONDecoder().decode(Lottery.State.self, from: Data(text.utf8)).tickets
    }
    #expect(tickets[1].prefix(3) == tickets[0][...])
    #expect(tickets[1].count == 4 && tickets[1][3] != tickets[0][2])
  }

  @Test func `a comparison says what a reducer that makes its own ids has to do`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    lottery.send(.wait)
    lottery.send(.draft)
    let fork = try await client("fork", ["composer": 1, "event": 1])["composer"] ?? .null
    try await client("send", ["composer": fork, "action": ["draft": [:]]])
    let found = try await client("compare", ["composers": [1, fork]])["difference"]
    #expect(
      found?["advice"]?.text?.contains("Read Dependencies.current.uuid in the reducer") == true)
    lottery.send(.wait)
  }

  @Test func `a step that changes a hidden value is exported without what it has drawn`()
    async throws
  {
    let client = try await InspectorClient.greeted(inspector.url)
    for action in [.logIn, .buy, .enter(password: "hunter2"), .buy] as [Lottery.Action] {
      lottery.send(action)
    }
    let text =
      try await client("export", ["composer": 1, "format": "jsonLines"])["text"]?.text ?? ""
    let recorded = try timeline(text)
    #expect(recorded.steps.map(\.drawn.count) == [0, 3, 0, 3])
    #expect(!text.contains(lottery.state.token) && text.contains("•••"))
  }

  private final class Lottery: Composer {
    enum Action: Codable, Equatable, Sendable {
      case buy, wait, draft, logIn, enter(password: String)
    }

    struct Ticket: Codable, Equatable, Identifiable, Sendable {
      let id: UUID
      let number: Int
      let time: Date
    }

    struct State: Codable, Equatable, Sendable {
      var tickets: [Ticket] = []
      var draft: UUID?
      var token = ""
    }

    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let uuid = Dependencies.current.uuid
    private var random = Dependencies.current.random

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .buy:
        let number = Int.random(in: 1...1_000_000, using: &random)
        state.tickets.append(
          Ticket(id: uuid(), number: number, time: Dependencies.current.now))
      case .wait: break
      case .draft: state.draft = UUID()
      case .logIn: state.token = uuid().uuidString
      case .enter: state.draft = uuid()
      }
      return .none
    }
  }
}

extension Array {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
