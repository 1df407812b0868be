import Compose
import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite("Changes in the inspector", .workerPool) struct ValueChangeTests {
  struct Person: Equatable {
    var name: String
    var age: Int
  }
  struct Row: Identifiable, Equatable {
    let id: Int
    var title = "a"
  }
  enum Phase { case idle, loading(Int), loaded(rows: Int, of: Person), with(Person) }
  struct State {
    var rows: IdentifiedArray<Row> = []
    @Shared var shared: IdentifiedArray<Row> = []
    var path: ScreenStack<Person> = []
    var host: Person?
    var guests: [Person] = []
    var phase = Phase.idle
    @PresentState var alert: String?
    var edges = (0, to: 0)
    var places: [String: Int] = [:]
  }

  private let reader = ValueReader()
  private let ann = Person(name: "Ann", age: 30)
  private let bob = Person(name: "Bob", age: 30)

  private func state(_ count: Int = 0, _ change: (inout State) -> Void = { _ in }) -> State {
    var state = State(rows: IdentifiedArray((0..<count).map { Row(id: $0) }))
    change(&state)
    return state
  }

  private func lines(_ old: Any, _ new: Any) -> [String] {
    reader.changeLines(from: old, to: new, limit: 100).lines
  }

  @Test func `a list without ids has lost and gained elements at its ends`() {
    struct Entry: Equatable { var text: String }
    struct Log: Equatable { var entries: [Entry] }
    func list(_ numbers: ClosedRange<Int>) -> Log {
      Log(entries: numbers.map { Entry(text: "\($0)") })
    }
    #expect(
      lines(list(1...100), list(2...101)) == [
        #"entries: removed at 0: Entry(text: "1")"#,
        #"entries: added at 99: Entry(text: "101")"#,
      ])
    let changes = reader.changes(from: list(1...100), to: list(3...101)).changes
    #expect(changes.map(\.path) == ["entries[0]", "entries[1]", "entries[98]"])
    #expect(changes.map(\.names) == [["entries", "0"], ["entries", "1"], ["entries", "98"]])
    #expect(changes.map { $0.old == nil } == [false, false, true])
    #expect(
      lines(list(1...10), list(1...13)) == ["entries: added 3 at 10"])
    #expect(reader.changes(from: list(1...100), to: list(50...149)).changes.count == 100)
    let text = Array(repeating: 1.5, count: 8)
    #expect(
      lines([0.5] + text, text + [2.5]) == ["removed at 0: 0.5", "added at 8: 2.5"])
  }

  @Test func `a list without ids has lost or gained elements in its middle`() {
    let numbers = Array(1...10)
    #expect(lines(numbers, numbers.filter { $0 != 4 }) == ["removed at 3: 4"])
    #expect(lines(numbers.filter { $0 != 4 }, numbers) == ["added at 3: 4"])
    #expect(lines(numbers, numbers.map { $0 == 4 ? 0 : $0 }) == ["[3]: 4 → 0"])
    // One of many equal elements.
    let cells = [Int?](repeating: nil, count: 9)
    #expect(lines(cells, Array(cells.dropLast()) + [1]) == ["[8]: nil → 1"])
    #expect(lines(cells.map { $0 == nil }, cells.map { $0 == nil }.dropLast() + [false]).count == 1)
    // Lists that are short, and those that differ in more than one place, are shown whole.
    #expect(lines([1, 2], [1, 2, 3]) == ["[1, 2] → [1, 2, 3]"])
    #expect(lines(numbers, [0, 1, 2, 3, 5, 6]).count == 1)
    #expect(lines([Int](), numbers) == ["added 10 at 0"])
    #expect(lines([ann], [ann, bob]) == [#"added at 1: Person(name: "Bob", age: 30)"#])
    #expect(lines(numbers, Array(1...30)).count == 1)
  }

  @Test func `the lines are those of a timeline`() {
    let old = state(5) {
      $0.guests = [ann, bob]
      $0.phase = .loaded(rows: 1, of: ann)
      $0.path.push(ann)
      $0.path.push(bob)
    }
    let new = state(5) {
      $0.rows[id: 3] = nil
      $0.rows[id: 4]?.title = "b"
      $0.rows.append(Row(id: 7))
      $0.rows.move(id: 0, to: 2)
      $0.shared = [Row(id: 1)]
      $0.path.push(Person(name: "Ann", age: 31))
      $0.guests = [ann, Person(name: "Bob", age: 31)]
      $0.phase = .loaded(rows: 2, of: bob)
      $0.edges.to = 2
      $0.edges.0 = 1
      $0.places = ["a": 1]
    }
    let expected = [
      "rows: removed 3", #"rows: added 7 at 4: Row(id: 7, title: "a")"#,
      "rows: moved 0 from 0 to 2", #"rows[id: 4].title: "a" → "b""#,
      #"shared: added 1 at 0: Row(id: 1, title: "a")"#, "path: removed 1",
      "path[id: 0].age: 30 → 31", "guests[1].age: 30 → 31", "phase.loaded.rows: 1 → 2",
      #"phase.loaded.of.name: "Ann" → "Bob""#, "edges.0: 0 → 1", "edges.to: 0 → 2",
    ]
    #expect(changes(from: old, to: new) == expected + [#"places: [:] → ["a": 1]"#])
    #expect(lines(old, new) == expected + ["places: [:] → [a: 1]"])
  }

  @Test func `optionals and wrappers are unwrapped in lines`() {
    let old = state()
    let new = state {
      $0.host = ann
      $0.alert = "a"
    }
    #expect(
      lines(old, new) == [#"host: nil → Person(name: "Ann", age: 30)"#, #"alert: nil → "a""#])
    #expect(
      lines(new, state { ($0.host, $0.alert) = (bob, "a") }) == [#"host.name: "Ann" → "Bob""#])
    #expect(lines(1, 2) == ["1 → 2"])
    #expect(lines(new, new).isEmpty)
    #expect(lines(1, "1") == [#"1 → "1""#])
  }

  @Test func `each change has the names of a path to its node`() {
    let old = state(3) {
      $0.host = ann
      $0.guests = [ann, ann]
      $0.phase = .with(ann)
      $0.path.push(ann)
      $0.edges.0 = 1
    }
    let new = state(3) {
      $0.rows[id: 1]?.title = "b"
      $0.host = bob
      $0.guests = [ann, bob]
      $0.phase = .with(bob)
      $0.path.push(bob)
      $0.alert = "a"
    }
    let (changes, others) = reader.changes(from: old, to: new)
    #expect(others == 0)
    #expect(
      changes.map(\.names) == [
        ["rows", "id: 1", "title"], ["path", "id: 0", "name"], ["host", "name"],
        ["guests", "1", "name"], ["phase", "0", "name"], ["alert"], ["edges", "0"],
      ])
    for change in changes {
      #expect(change.old == reader.node(of: old, at: change.names), "\(change)")
      #expect(change.new == reader.node(of: new, at: change.names), "\(change)")
    }
    #expect(changes[0].path == "rows[id: 1].title")
    #expect(changes[4].path == "phase.with.name")
  }

  @Test func `elements are added, removed and moved one by one`() throws {
    let old = state(3)
    let new = state(3) {
      $0.rows[id: 0] = nil
      $0.rows.move(id: 2, to: 0)
      $0.rows.append(Row(id: 9))
    }
    let changes = reader.changes(from: old, to: new).changes
    #expect(changes.map(\.path) == ["rows[id: 0]", "rows[id: 9]", "rows[id: 2]"])
    #expect(changes[0].old == reader.node(of: Row(id: 0)))
    #expect(changes[0].new == nil)
    #expect(changes[1].old == nil)
    #expect(changes[1].new == reader.node(of: Row(id: 9)))
    #expect(changes[2].moved == .init(from: 2, to: 0))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(
      String(decoding: try encoder.encode(changes[2]), as: UTF8.self)
        == #"{"moved":{"from":2,"to":0},"names":["rows","id: 2"],"path":"rows[id: 2]"}"#)
  }

  @Test func `changes beyond the limit are counted`() {
    let old = state(2_000)
    let changed = state(2_000) { for id in 0..<2_000 { $0.rows[id: id]?.title = "b" } }
    #expect(reader.changes(from: old, to: changed).changes.count == 200)
    #expect(reader.changes(from: old, to: changed).others == 1_800)
    #expect(reader.changeLines(from: old, to: changed).lines.count == 3)
    #expect(reader.changeLines(from: old, to: changed).others == 1_997)
    let removed = state(500)
    #expect(reader.changes(from: old, to: removed).changes.count == 200)
    #expect(reader.changes(from: old, to: removed).others == 1_300)
    #expect(
      reader.changeLines(from: old, to: removed).lines
        == ["rows: removed 500, 501, 502 and 1,497 more"])
    let numbers = Array(0..<500)
    let (changes, others) = reader.changes(from: numbers, to: numbers.map { -$0 - 1 })
    #expect(changes.count == 200)
    #expect(others == 300)
    let (lines, more) = reader.changeLines(from: numbers, to: numbers.map { -$0 - 1 })
    #expect(lines == ["[0]: 0 → -1", "[1]: 1 → -2", "[2]: 2 → -3"])
    #expect(more == 497)
  }

  @Test func `many changes of large values have a limited number of nodes`() throws {
    struct Large: Identifiable, Equatable {
      let id: Int
      var numbers: [[Int]]
    }
    let numbers = (0..<50).map { Array(repeating: $0, count: 90) }
    let old = IdentifiedArray((0..<300).map { Large(id: $0, numbers: numbers) })
    let changes = reader.changes(from: old, to: IdentifiedArray<Large>()).changes
    #expect(changes.count == 200)
    #expect(try JSONEncoder().encode(changes).count < 1_000_000)
  }

  @Test func `values that are not Equatable are compared by what is shown of them`() {
    struct Plain { let action: @Sendable () -> Void }
    final class Box {
      let count: Int
      init(_ count: Int) { self.count = count }
    }
    #expect(lines(Plain {}, Plain {}).isEmpty)
    #expect(lines(Box(1), Box(1)).isEmpty)
    #expect(lines(Box(1), Box(2)) == ["Box(count: 1) → Box(count: 2)"])
    #expect(lines([1: Box(1)], [1: Box(2)]).count == 1)
  }

  @Test(.enabled(if: !isSanitized))
  func `one removal in 10,000 rows is found in tens of milliseconds`() {
    let old = state(10_000)
    let new = state(10_000)
    var removed = new
    removed.rows = old.rows
    removed.rows[id: 5_000] = nil
    let time = ContinuousClock().measure {
      #expect(lines(old, removed) == ["rows: removed 5000"])
    }
    #expect(time < .milliseconds(500))
    if let file = ProcessInfo.processInfo.environment["VALUE_TIMES"] {
      try? "\(time)".write(toFile: file + "-removal", atomically: true, encoding: .utf8)
    }
  }
}
