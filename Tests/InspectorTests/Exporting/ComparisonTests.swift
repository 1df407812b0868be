import Inspector
import TestSupport
import Testing

@testable import Inspector

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
}
