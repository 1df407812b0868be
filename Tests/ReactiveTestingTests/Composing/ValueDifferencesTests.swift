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
}
