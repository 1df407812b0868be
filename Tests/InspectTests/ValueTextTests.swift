import TestSupport
import Testing

@testable import inspect

@Suite("The values of inspect", .workerPool)
struct InspectValueTextTests {
  private func number(_ number: Int) -> ValueNode { ValueNode(kind: "number", text: "\(number)") }

  private func object(_ type: String, _ children: (String, ValueNode)...) -> ValueNode {
    ValueNode(
      kind: "object", type: type, children: children.map { ValueNode.Child(name: $0, value: $1) })
  }

  private func list(_ values: [ValueNode], count: Int? = nil) -> ValueNode {
    ValueNode(
      kind: "list", type: "Array<Int>",
      children: values.enumerated().map { .init(name: "\($0)", value: $1) }, count: count)
  }

  @Test func `an integer of 64 bits without a sign is read, and written as it was`() throws {
    let value = try JSONValue(json: "[18446744073709551615]")
    #expect(value == [.unsigned(.max)])
    #expect(value.json == "[18446744073709551615]")
  }

  @Test func `each kind of value has its text`() {
    let text = ValueNode(kind: "string", text: "a\n\"b\"\\", size: 5_000)
    #expect(ValueText.line(ValueNode(kind: "null")) == "nil")
    #expect(ValueText.line(text) == #""a\n\"b\"\\"… of 5,000 bytes"#)
    #expect(ValueText.line(ValueNode(kind: "redacted")) == "‹hidden›")
    #expect(
      ValueText.line(ValueNode(kind: "cut", text: "depth", type: "Row")) == "‹Row: cut, depth›")
    #expect(ValueText.line(ValueNode(kind: "later", text: "x")) == "x")
    #expect(ValueText.line(list([number(1), number(2)], count: 300)) == "[1, 2, … 298 more]")
    let row = object("Row", ("id", number(7)), ("title", ValueNode(kind: "string", text: "x")))
    #expect(ValueText.line(row) == #"Row(id: 7, title: "x")"#)
    let action = ValueNode(
      kind: "case", text: "add", type: "Action", children: [.init(name: "_0", value: number(1))])
    #expect(ValueText.line(action) == "add(1)")
    #expect(ValueText.line(ValueNode(kind: "case", text: "stop", type: "Action")) == "stop")
  }

  @Test func `a long value is cut at the limit without describing all of it`() {
    let line = ValueText.line(list((0..<100_000).map { number($0) }), limit: 20)
    #expect(line == "[0, 1, 2, 3, 4, 5, 6…")
  }

  @Test func `a tree has a line for each part that does not fit in one`() {
    let rows = list((0..<40).map { object("Row", ("id", number($0))) }, count: 300)
    let lines = ValueTree.lines(object("State", ("count", number(1)), ("rows", rows)))
    #expect(lines.count == 44)
    #expect(
      lines.prefix(4) == ["State", "  count: 1", "  rows: Array<Int>, 300", "    0: Row(id: 0)"])
    #expect(lines.last == "    … 300 in all")
  }

  @Test func `changes are added, removed, replaced or moved`() {
    #expect(ValueChange(path: "a.b", old: number(1), new: number(2)).text().text == "a.b: 1 → 2")
    #expect(ValueChange(path: "a", new: number(2)).text().text == "a: added 2")
    #expect(ValueChange(path: "a", old: number(1)).text().text == "a: removed 1")
    let move = ValueChange(path: "rows[id: 8]", moved: .init(from: 3, to: 0))
    #expect(
      [move].lines(more: 1_000).map(\.text) == ["rows[id: 8]: moved from 3 to 0", "… 1,000 more"])
  }
}
