import Foundation
import Inspector
import TestSupport
import Testing

@testable import Inspector

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Comparison of composers", .workerPool)
struct ComparisonTests {
  private let inspector: Inspector
  private let first = Composed(sending: Sample())
  private let second = Composed(sending: Sample())

  init() throws {
    inspector = try .ofAdded()
    inspector.add(first)
    inspector.add(second)
  }

  private func compared() async throws -> AnyJSON {
    let client = try await InspectorClient.greeted(inspector.url)
    return try await client("compare", ["composers": [1, 2]])
  }

  @Test func `steps behind the limit are not said to be equal`() async throws {
    for _ in 1...10_000 {
      first.send(.add(1))
      second.send(.add(1))
    }
    #expect(try await compared() == ["equalSteps": 10_000, "isCut": false])
    first.send(.add(1))
    second.send(.add(2))
    #expect(try await compared() == ["equalSteps": 10_000, "isCut": true])
  }

  @Test func `actions differ where their rows do not show it`() async throws {
    let text = String(repeating: "long ", count: 1_000)
    first.send(.load(query: text + "1"))
    second.send(.load(query: text + "2"))
    let difference = try await compared()["difference"]
    #expect(difference?["position"] == 0)
    #expect(difference?["changes"] == [])
    #expect(difference?["actionChanges"]?.elements.count == 1)
    #expect(difference?["actionChanges"]?[0]?["path"]?.text?.hasPrefix("load") == true)
  }

  @Test func `elements of an action beyond those of a row are compared`() async throws {
    func rows(_ last: String) -> [Sample.Row] {
      (0..<50).map { Sample.Row(id: $0, title: $0 == 49 ? last : "same") }
    }
    first.send(.loaded(rows("one")))
    second.send(.loaded(rows("two")))
    let difference = try await compared()["difference"]
    #expect(difference?["rows"]?[0]?["text"] == difference?["rows"]?[1]?["text"])
    let changes = difference?["actionChanges"] ?? .null
    #expect("\(changes)".contains("two"))
  }

  @Test func `a composer that has more steps is different`() async throws {
    first.send(.add(1))
    second.send(.add(1))
    second.send(.stop)
    let found = try await compared()
    #expect(found["equalSteps"] == 1)
    #expect(found["difference"]?["rows"]?[0] == .null)
    #expect(found["difference"]?["actionChanges"] == [])
  }

  /// Imports the steps of the first composer in this range of events, and returns the file's number.
  private func importedFile(
    _ client: InspectorClient, from first: Int, to last: Int
  ) async throws -> AnyJSON {
    let text = try await client(
      "export",
      [
        "composer": 1, "format": "jsonLines", "from": .integer(Int64(first)),
        "to": .integer(Int64(last)),
      ])
    var request = URLRequest(url: try #require(URL(string: inspector.url + "import?part")))
    request.httpMethod = "POST"
    request.httpBody = Data((text["text"]?.text ?? "").utf8)
    let (data, _) = try await URLSession.shared.data(for: request)
    return try AnyJSON(parsing: String(decoding: data, as: UTF8.self))["composer"] ?? .null
  }

  @Test func `a part of a recording is compared with the steps of the same numbers`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    for number in 1...6 { first.send(.add(number)) }
    let file = try await importedFile(client, from: 3, to: 5)
    let found = try await client("compare", ["composers": [1, file]])
    #expect(found["equalSteps"] == 3)
    #expect(found["difference"]?["rows"]?[0]?["step"] == 6)
    #expect(found["difference"]?["rows"]?[1] == .null)
    let same = try await client("compare", ["composers": [1, file], "sources": ["outside"]])
    #expect(same["equalSteps"] == 3)
  }

  /// A composer whose effect sends some actions, as a socket does.
  private final class Connecting: Composer {
    enum Action: Codable { case connected(Int), add(Int), add10 }
    struct State: Codable { var count = 0, connections = 0 }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let connections: [Int]

    init(_ connections: Int) { self.connections = Array(1...connections) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .connected(let number): state.connections = number
      case .add(let number): state.count += number
      case .add10: return .send(.add(10))
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      StateEffect(id: "connection") { [connections] in
        .run(.from(connections.map(Action.connected)))
      }
    }
  }

  @Test func `only the steps from outside of a fork are compared, with what they have changed`()
    async throws
  {
    let client = try await InspectorClient.greeted(inspector.url)
    let app = Composed(sending: Connecting(1))
    inspector.add(app, fork: { Connecting(3) })
    app.send(.add(1))
    let origin = try await client("composers")["composers"]?.elements.last?["composer"] ?? .null
    let event = try await client("state", ["composer": origin])["event"] ?? .null
    let fork = try await client("fork", ["composer": origin, "event": event])["composer"] ?? .null
    func send(_ action: AnyJSON, to composers: AnyJSON...) async throws {
      for composer in composers {
        try await client("send", ["composer": composer, "action": action])
      }
    }
    try await send(["add": ["_0": 2]], to: origin, fork)
    try await send(["add10": [:]], to: origin, fork)
    try await send(["add": ["_0": 3]], to: origin, fork)
    let pair: AnyJSON = ["composers": [origin, fork]]
    #expect(try await client("compare", pair)["equalSteps"] == 0)
    let outside: AnyJSON = ["composers": [origin, fork], "sources": ["outside"]]
    #expect(try await client("compare", outside) == ["equalSteps": 3, "isCut": false])
    try await send(["add": ["_0": 4]], to: origin)
    try await send(["add": ["_0": 5]], to: fork)
    let found = try await client("compare", outside)
    #expect(found["equalSteps"] == 3)
    let difference = found["difference"]
    #expect(difference?["rows"]?.elements.map { $0["text"] } == ["add(4)", "add(5)"])
    // The connections differ too, which no step from outside has changed.
    #expect(difference?["changes"]?.elements.map { $0["path"] } == ["count"])
  }
}
