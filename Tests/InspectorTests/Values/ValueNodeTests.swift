import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite("Nodes of values", .workerPool) struct ValueNodeTests {
  struct Row: Identifiable, Equatable {
    let id: Int
    var title = "a"
  }
  struct State {
    var rows: IdentifiedArray<Row> = [Row(id: 7)]
    @PresentState var alert: String?
    @Shared var chosen: Int? = 3
    lazy var late = 1
    var edges = (0, to: "b")
  }
  enum Phase { case idle, loading(Int), loaded(rows: Int, Bool), at((x: Int, y: Int)) }
  class Animal {
    let legs = 4
  }
  final class Dog: Animal {
    let name = "Rex"
  }
  actor Counter {
    var count = 1
  }

  private func node(_ value: Any) -> ValueNode? { ValueReader().node(of: value) }

  private func json(_ value: Any) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(node(value)), as: UTF8.self)
  }

  @Test func `each kind of node has the JSON of the protocol`() throws {
    #expect(try json(Int?.none as Any) == #"{"kind":"null"}"#)
    #expect(try json(true) == #"{"kind":"bool","text":"true"}"#)
    #expect(try json(-1.5) == #"{"kind":"number","text":"-1.5"}"#)
    #expect(try json("a") == #"{"kind":"string","text":"a"}"#)
    #expect(
      try json(Row(id: 1)) == #"""
        {"children":[{"name":"id","value":{"kind":"number","text":"1"}},\#
        {"name":"title","value":{"kind":"string","text":"a"}}],"kind":"object","type":"Row"}
        """#)
    #expect(
      try json([1]) == #"""
        {"children":[{"name":"0","value":{"kind":"number","text":"1"}}],"kind":"list","type":"Array<Int>"}
        """#)
    #expect(
      try json(["a": true]) == #"""
        {"children":[{"name":"a","value":{"kind":"bool","text":"true"}}],"kind":"dictionary",\#
        "type":"Dictionary<String, Bool>"}
        """#)
    #expect(
      try json(Phase.loading(2)) == #"""
        {"children":[{"name":"0","value":{"kind":"number","text":"2"}}],"kind":"case","text":"loading",\#
        "type":"Phase"}
        """#)
    #expect(try json(Phase.idle) == #"{"children":[],"kind":"case","text":"idle","type":"Phase"}"#)
    #expect(
      try json(Date(timeIntervalSince1970: 0)) == #"""
        {"kind":"value","text":"1970-01-01 00:00:00 +0000","type":"Date"}
        """#)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let nodes = [ValueNode.redacted, .cut(.cycle, type: "T"), .string(CutText("abc", limit: 2))]
    #expect(
      String(decoding: try encoder.encode(nodes), as: UTF8.self) == #"""
        [{"kind":"redacted"},{"kind":"cut","text":"cycle","type":"T"},\#
        {"kind":"string","size":3,"text":"ab"}]
        """#)
    let long = Array(0..<101)
    #expect(try json(long).contains(#""count":101"#))
  }

  @Test func `integers have all their digits, and numbers that are none have a text`() {
    #expect(node(UInt64.max) == .number("18446744073709551615"))
    #expect(node(Int128.min) == .number("-170141183460469231731687303715884105728"))
    #expect(node(Double.nan) == .number("nan"))
    #expect(node(-Double.infinity) == .number("-inf"))
    #expect(node(Float(0.1)) == .number("0.1"))
  }

  @Test func `wrappers of the state and optionals are unwrapped, and names have no underscore`() {
    var state = State()
    _ = state.late
    guard case .object("State", let children) = node(state) else {
      Issue.record("no object")
      return
    }
    #expect(children.map(\.name) == ["rows", "alert", "chosen", "late", "edges"])
    #expect(
      children[0].value
        == .list(
          type: "IdentifiedArray<Row>",
          [.init(name: "id: 7", value: node(Row(id: 7)) ?? .null)], count: nil))
    #expect(children[1].value == .null)
    #expect(children[2].value == .number("3"))
    #expect(children[3].value == .number("1"))
    #expect(
      children[4].value
        == .object(
          type: "(Int, to: String)",
          [
            .init(name: "0", value: .number("0")),
            .init(name: "to", value: .string(CutText("b", limit: 9))),
          ]))
    #expect(node(Optional(Optional(1)) as Any) == .number("1"))
    #expect(node(AnyHashable(1)) == .number("1"))
  }

  @Test func `a stack of screens is a list by the ids of the screens`() {
    var stack: ScreenStack<String> = ["a", "b"]
    stack.pop()
    stack.push("c")
    guard case .list(_, let children, nil) = node(stack) else {
      Issue.record("no list")
      return
    }
    #expect(children.map(\.name) == ["id: 0", "id: 2"])
  }

  @Test func `associated values have their labels or positions as names`() {
    func names(_ value: Any) -> [String] {
      guard case .enumCase(_, _, let children) = node(value) else { return [] }
      return children.map(\.name)
    }
    #expect(names(Phase.loading(1)) == ["0"])
    #expect(names(Phase.loaded(rows: 1, true)) == ["rows", "1"])
    #expect(names(Phase.at((1, 2))) == ["x", "y"])
    #expect(names(Result<Int, any Error>.success(1)) == ["0"])
  }

  @Test func `values that describe themselves are their descriptions`() throws {
    let values: [Any] = [
      UUID(), Decimal(1) / 3, Data([1, 2]), Duration.seconds(1), 0..<3,
      try #require(URL(string: "https://a/b")), Unicode.Scalar("a"),
    ]
    for value in values {
      guard case .value(let text, let type) = node(value) else {
        Issue.record("\(value) is no value")
        continue
      }
      #expect(text == CutText("\(value)", limit: 100))
      #expect(type == "\(Swift.type(of: value))")
    }
    #expect(node("a" as Character) == .string(CutText("a", limit: 9)))
    #expect(node("ab".dropFirst()) == .string(CutText("b", limit: 9)))
  }

  @Test func `an object has its superclass's properties first, and an actor has none`() {
    guard case .object("Dog", let children) = node(Dog()) else {
      Issue.record("no object")
      return
    }
    #expect(children.map(\.name) == ["legs", "name"])
    #expect(node(Counter()) == .value(CutText("Counter", limit: 99), type: "Counter"))
    guard case .value(let text, _) = node({ 1 } as () -> Int) else {
      Issue.record("no value")
      return
    }
    #expect(text.text == "(Function)")
    guard case .value = node(Int.self) else {
      Issue.record("no value")
      return
    }
  }

  @Test func `keys of dictionaries are sorted texts, and elements of sets are sorted`() {
    enum Side: Hashable { case left, right(Int) }
    struct Point: Hashable { let x: Int }
    func names(_ value: Any) -> [String] {
      guard case .dictionary(_, let children, nil) = node(value) else { return [] }
      return children.map(\.name)
    }
    let numbers = Dictionary(uniqueKeysWithValues: (0..<12).map { ($0, $0) })
    #expect(names(numbers) == (0..<12).map { "\($0)" })
    #expect(names([Side.right(2): 1, .left: 2]) == ["left", "right(2)"])
    #expect(names([Point(x: 1): 1]) == ["Point(x: 1)"])
    #expect(names([[1, 2]: 1]) == ["[1, 2]"])
    #expect(names(["b": 1, "a": 2] as KeyValuePairs) == ["b", "a"])
    guard case .list(_, let elements, nil) = node(Set(0..<12)) else {
      Issue.record("no list")
      return
    }
    #expect(elements.map(\.value) == (0..<12).map { .number("\($0)") })
  }

  @Test func `a mirror of the value's own decides about its parts`() {
    struct Custom: CustomReflectable {
      var customMirror: Mirror { Mirror(self, children: ["shown": 1], displayStyle: .struct) }
      let hidden = 2
    }
    struct Unstyled: CustomReflectable {
      var customMirror: Mirror { Mirror(self, children: ["shown": 1]) }
    }
    struct Bag: CustomReflectable {
      var customMirror: Mirror {
        Mirror(self, unlabeledChildren: (0..<3).lazy.filter { $0 != 1 }, displayStyle: .collection)
      }
    }
    let shown = ValueNode.Child(name: "shown", value: .number("1"))
    #expect(node(Custom()) == .object(type: "Custom", [shown]))
    #expect(node(Unstyled()) == .object(type: "Unstyled", [shown]))
    let elements = [("0", "0"), ("1", "2")].map {
      ValueNode.Child(name: $0.0, value: .number($0.1))
    }
    #expect(node(Bag()) == .list(type: "Bag", elements, count: nil))
  }

  // MARK: Paging

  struct Page {
    var numbers = Array(0..<1_000)
    var rows = IdentifiedArray((0..<1_000).map { Row(id: $0 * 2) })
    var names = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("\($0)", Row(id: $0)) })
    var phase = Phase.loaded(rows: 1, true)
    @Shared var wrapped: IdentifiedArray<Row> = [Row(id: 1)]
    var sides = [Phase.loading(1), .idle]
  }

  @Test func `a page of a list has the asked children and the number of all`() {
    let reader = ValueReader()
    guard case .list(_, let numbers, 1_000) = reader.node(of: Page(), at: ["numbers"], from: 990)
    else {
      Issue.record("no list")
      return
    }
    #expect(numbers.map(\.name) == (990..<1_000).map { "\($0)" })
    guard
      case .list(_, let rows, 1_000) = reader.node(of: Page(), at: ["rows"], from: 3, count: 2)
    else {
      Issue.record("no list")
      return
    }
    #expect(rows.map(\.name) == ["id: 6", "id: 8"])
    for (from, count) in [(1_000, 5), (Int.max, Int.max), (-5, 0), (5, -1), (5, 0)] {
      let node = reader.node(of: Page(), at: ["numbers"], from: from, count: count)
      #expect(node == .list(type: "Array<Int>", [], count: 1_000))
    }
    let pages = (0..<10).flatMap { page -> [String] in
      guard
        case .dictionary(_, let children, 1_000) = reader.node(
          of: Page(), at: ["names"], from: page * 100)
      else { return [] }
      return children.map(\.name)
    }
    #expect(pages.count == 1_000)
  }

  @Test func `a path of names leads to a part of any kind`() {
    let reader = ValueReader()
    let row = reader.node(of: Row(id: 8))
    #expect(reader.node(of: Page(), at: ["rows", "id: 8"]) == row)
    #expect(reader.node(of: Page(), at: ["names", "8"]) == row)
    #expect(reader.node(of: Page(), at: ["numbers", "900"]) == .number("900"))
    #expect(reader.node(of: Page(), at: ["phase", "rows"]) == .number("1"))
    #expect(reader.node(of: Page(), at: ["phase", "1"]) == .bool(true))
    #expect(reader.node(of: Page(), at: ["wrapped", "id: 1", "id"]) == .number("1"))
    #expect(reader.node(of: Page(), at: ["sides", "0", "0"]) == .number("1"))
    #expect(
      reader.node(of: [Row(id: 1): 5, Row(id: 2): 6], at: ["Row(id: 2, title: \"a\")"])
        == .number("6"))
    let missing: [[String]] = [
      ["none"], ["rows", "id: 7"], ["rows", "7"], ["numbers", "1000"], ["numbers", "-1"],
      ["numbers", "x"], ["names", "-"], ["numbers", "0", "0"], ["phase", "2"], [""],
    ]
    for path in missing { #expect(reader.node(of: Page(), at: path) == nil, "\(path)") }
  }

  @Test func `ids of any type are found by their texts`() {
    struct Named<ID: Hashable>: Identifiable { let id: ID }
    struct Key: Hashable { let number: Int }
    let id = UUID()
    let reader = ValueReader()
    func isFound<ID: Hashable>(_ id: ID, _ text: String) -> Bool {
      reader.node(of: IdentifiedArray([Named(id: id)]), at: ["id: \(text)"]) != nil
    }
    #expect(isFound("a", "a"))
    #expect(isFound(id, id.uuidString))
    #expect(isFound(Key(number: 3), "Key(number: 3)"))
    #expect(isFound(UInt8(3), "3"))
  }

  @Test(.enabled(if: !isSanitized)) func `a state of a million rows has a node in milliseconds`() {
    struct Big {
      var rows: IdentifiedArray<Row>
      var numbers: [Int]
      var names: [Int: String]
    }
    let numbers = Array(0..<1_000_000)
    let rows = IdentifiedArray(numbers.map { Row(id: $0) })
    let names = Dictionary(uniqueKeysWithValues: numbers.map { ($0, "a") })
    let big = Big(rows: rows, numbers: numbers, names: names)
    let reader = ValueReader()
    let times = [
      ContinuousClock().measure { _ = reader.node(of: big) },
      ContinuousClock().measure { _ = reader.shortText(of: big) },
      ContinuousClock().measure { _ = reader.node(of: big, at: ["rows"], from: 900_000) },
      ContinuousClock().measure { _ = reader.node(of: big, at: ["rows", "id: 500000"]) },
      ContinuousClock().measure { _ = reader.node(of: big, at: ["names", "500000"]) },
    ]
    // Some of 10 ms in debug builds; a walk over all rows takes seconds.
    for time in times { #expect(time < .milliseconds(500), "\(times)") }
    if let file = ProcessInfo.processInfo.environment["VALUE_TIMES"] {
      try? "\(times)".write(toFile: file, atomically: true, encoding: .utf8)
    }
    #expect(
      reader.shortText(of: big).hasPrefix(
        #"Big(rows: [Row(id: 0, title: "a"), Row(id: 1, title: "a"), Row(id: 2, title: "a") and 999,997 more]"#
      ))
  }
}

extension ValueNodeTests.Row: Hashable {}
