import TestSupport
import Testing

@testable import ReactiveTesting

@Suite(.workerPool) struct ValueDifferencesTests {
  private enum Phase { case idle, busy(since: Int), failed(code: Int, text: String) }
  private final class Object {}
  private struct Row { var id = 0, title: String? = "a" }
  private struct Page {
    var rows = [Row()]
    var phase = Phase.idle
    var names: [String: Int] = ["a": 1]
    var tags: Set<Int> = [1, 2]
    var object: Object?
    var point = (x: 1, y: 2)
    var nested: [[Row]] = []
  }

  private func differences(_ change: (inout Page) -> Void) -> [String] {
    let object = Object()
    var (got, expected) = (Page(object: object), Page(object: object))
    _ = expected
    change(&got)
    expected = Page(object: object)
    return ReactiveTesting.differences(between: got, and: expected)
  }

  @Test func `equal values have no differences`() {
    #expect(differences { _ in } == [])
    #expect(areEqual(Phase.busy(since: 1), Phase.busy(since: 1)))
    #expect(areEqual(Phase.idle, Phase.idle))
    #expect(areEqual((1, "a"), (1, "a")))
  }

  @Test func `value differences name the smallest different part`() {
    #expect(differences { $0.rows[0].title = "b" } == [#"rows[0].title: expected "a", got "b""#])
    #expect(differences { $0.rows[0].title = nil } == [#"rows[0].title: expected "a", got nil"#])
    #expect(differences { $0.point.y = 3 } == ["point.y: expected 2, got 3"])
    #expect(differences { $0.names["a"] = 2 } == [#"names["a"]: expected 1, got 2"#])
    #expect(differences { $0.names["b"] = 2 } == [#"names["b"]: expected nothing, got 2"#])
    #expect(differences { $0.tags = [2, 3] } == ["tags: 1 is missing", "tags: 3 is unexpected"])
    #expect(
      ReactiveTesting.differences(between: [1, 2] as Set, and: [2, 3] as Set)
        == ["1 is unexpected", "3 is missing"])
    #expect(
      differences { $0.nested = [[]] } == ["nested[0]: expected nothing, got []"])
    #expect(differences { $0.rows = [] }.first?.hasPrefix("rows[0]: expected Row(") == true)
  }

  @Test func `value differences compare cases as wholes and payloads by part`() {
    let lines = differences { $0.phase = .busy(since: 1) }
    #expect(lines == ["phase: expected idle, got busy(since: 1)"])
    #expect(!areEqual(Phase.busy(since: 1), Phase.busy(since: 2)))
    #expect(
      ReactiveTesting.differences(
        between: Phase.failed(code: 1, text: "a"), and: Phase.failed(code: 2, text: "a"))
        == ["failed.code: expected 2, got 1"])
    #expect(!areEqual(Phase.idle, Phase.busy(since: 1)))
    #expect(!areEqual(1, "1"))
  }

  @Test func `value differences compare objects by identity`() {
    #expect(differences { $0.object = Object() }.count == 1)
    #expect(differences { $0.object = nil }.count == 1)
  }

  @Test func `value differences use == of Equatable types`() {
    struct Loose: Equatable {
      var kept: Int
      var ignored: Int
      static func == (lhs: Self, rhs: Self) -> Bool { lhs.kept == rhs.kept }
    }
    #expect(areEqual(Loose(kept: 1, ignored: 1), Loose(kept: 1, ignored: 2)))
    #expect(areEqual([Loose(kept: 1, ignored: 1)], [Loose(kept: 1, ignored: 2)]))
    #expect(!areEqual(Double.nan, Double.nan))
    let lines = ReactiveTesting.differences(between: Double.nan, and: Double.nan)
    #expect(lines == ["expected nan, got nan"])
  }

  @Test func `value differences limit their number and count the rest`() {
    let lines = ReactiveTesting.differences(between: Array(0..<50), and: Array(1..<51))
    #expect(lines.count == 11)
    #expect(lines.last == "and 40 more")
  }

  private struct Item: Identifiable { let id: Int, title: String }
  private struct Items {
    var items: IdentifiedArray<Item>
    @Shared var tagged: IdentifiedArray<Tag> = []
    var path: ScreenStack<Row> = []
  }
  private struct Tag: Identifiable, Equatable {
    let id: String
    var count = 0
  }

  private func itemDifferences(_ count: Int, _ change: (inout Items) -> Void) -> [String] {
    let expected = Items(
      items: IdentifiedArray((0..<count).map { Item(id: $0, title: "a") }),
      tagged: [Tag(id: "x"), Tag(id: "y")], path: [Row(), Row()])
    var got = expected
    change(&got)
    return ReactiveTesting.differences(between: got, and: expected)
  }

  @Test func `value differences compare lists of elements with ids by the ids`() {
    #expect(
      itemDifferences(10_000) { $0.items[id: 5_000] = nil }
        == [#"items: 5000 is missing at 5000: Item(id: 5000, title: "a")"#])
    #expect(
      itemDifferences(1) { $0.tagged.insert(Tag(id: "z"), at: 1) }
        == [#"tagged: "z" is unexpected at 1: Tag(id: "z", count: 0)"#])
    #expect(
      itemDifferences(10_000) { $0.items.move(id: 7, to: 3) }
        == ["items: 7 is at 3, expected at 7"])
    #expect(
      itemDifferences(10_000) {
        $0.items[id: 0] = nil
        $0.items[id: 12] = Item(id: 12, title: "b")
      } == [
        #"items: 0 is missing at 0: Item(id: 0, title: "a")"#,
        #"items[id: 12].title: expected "a", got "b""#,
      ])
    #expect(
      itemDifferences(0) { $0.tagged[id: "x"]?.count = 1 }
        == [#"tagged[id: "x"].count: expected 0, got 1"#])
    #expect(
      itemDifferences(0) {
        $0.path.pop()
        $0.path[id: 0]?.id = 3
      } == [
        #"path: 1 is missing at 1: Row(id: 0, title: Optional("a"))"#,
        "path[id: 0].id: expected 0, got 3",
      ])
  }

  @Test func `value differences shorten long lists of elements with ids`() {
    #expect(
      itemDifferences(10_000) { $0.items = IdentifiedArray($0.items.filter { $0.id > 1_771 }) }
        == ["items: 0, 1, 2 and 1,769 more are missing"])
    #expect(
      itemDifferences(0) { $0.items = IdentifiedArray((0..<4).map { Item(id: $0, title: "a") }) }
        == ["items: 0, 1, 2, 3 are unexpected"])
    #expect(
      itemDifferences(5) { $0.items.sort { $0.id > $1.id } }
        == ["items: 4, 3, 2, 1 are at unexpected positions"])
    let all = itemDifferences(10_000) {
      for id in 0..<10_000 { $0.items[id: id] = Item(id: id, title: "b") }
    }
    #expect(all.count == 11)
    #expect(all.last == "and 9,990 more")
  }

  @Test func `value differences have no addresses of private types`() {
    let lines = ReactiveTesting.differences(between: [Phase.idle] as Any, and: 1)
    #expect(lines == ["expected 1, got [Phase.idle]"])
  }
}
