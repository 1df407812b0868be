import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Inspector

@Suite("Hostile values", .workerPool) struct HostileValuesTests {
  private let reader = ValueReader()

  /// An object that leads to others; a long chain is released link by link.
  final class Box {
    var next: Box?
    var others: [Box] = []

    init(_ next: Box? = nil) { self.next = next }

    static func chain(_ count: Int) -> Box {
      (0..<count).reduce(Box()) { box, _ in Box(box) }
    }

    func release() {
      var box: Box? = self
      while let current = box { (box, current.next, current.others) = (current.next, nil, []) }
    }
  }

  private func depth(_ node: ValueNode) -> Int {
    switch node {
    case .object(_, let children), .list(_, let children, _), .dictionary(_, let children, _),
      .enumCase(_, _, let children):
      1 + (children.map { depth($0.value) }.max() ?? 0)
    default: 0
    }
  }

  private func count(_ node: ValueNode) -> Int {
    switch node {
    case .object(_, let children), .list(_, let children, _), .dictionary(_, let children, _),
      .enumCase(_, _, let children):
      children.reduce(1) { $0 + count($1.value) }
    default: 1
    }
  }

  @Test func `a value of 100,000 levels is cut at the limit`() throws {
    let box = Box.chain(100_000)
    defer { box.release() }
    let node = try #require(reader.node(of: box))
    // Below the last object is a list without elements.
    #expect(depth(node) == 33)
    #expect(reader.shortText(of: box).hasPrefix("Box(next: Box("))
    #expect(throws: ValueError.tooDeep(limit: 100)) { try reader.json(of: box) }
    let other = Box.chain(100_000)
    defer { other.release() }
    #expect(reader.changes(from: box, to: other).changes == [])
  }

  @Test func `optionals in optionals without an end are unwrapped without recursion`() {
    var value: Any = 1
    for _ in 0..<10_000 { value = Optional<Any>.some(value) as Any }
    #expect(reader.node(of: value) == .number("1"))
  }

  @Test func `nested pairs and keys are read to a limited depth`() {
    struct Pair {
      let name: Any
      let value: Any
    }
    var pair: Any = "token"
    var keys: AnyHashable = 1
    for _ in 0..<1_000 { pair = Pair(name: pair, value: pair) }
    for _ in 0..<4 { keys = [keys: 1] as [AnyHashable: Int] }
    #expect(reader.shortText(of: pair).unicodeScalars.count <= 300)
    #expect(reader.node(of: pair) != nil)
    #expect(reader.node(of: keys.base) != nil)
  }

  @Test func `an object that contains itself is cut where it occurs again`() throws {
    let box = Box()
    box.next = box
    box.others = [Box(), box]
    defer { box.release() }
    let node = try #require(reader.node(of: box))
    guard case .object("Box", let children) = node,
      case .list(_, let others, nil) = children[1].value
    else {
      Issue.record("no object")
      return
    }
    #expect(children[0].value == .cut(.cycle, type: "Box"))
    #expect(others[1].value == .cut(.cycle, type: "Box"))
    // The same object twice, but not within itself, is no cycle.
    let shared = Box()
    #expect(reader.node(of: [shared, shared]).map { "\($0)".contains("cycle") } == false)
    #expect(try reader.json(of: box).contains("Box that contains this value"))
  }

  @Test func `wide objects have a limited number of nodes, the outermost first`() throws {
    let boxes = (0..<100).map { _ in
      let box = Box()
      box.others = (0..<100).map { _ in Box() }
      return box
    }
    let node = try #require(reader.node(of: [boxes, boxes, boxes]))
    #expect(count(node) <= 5_000)
    guard case .list(_, let lists, nil) = node else {
      Issue.record("no list")
      return
    }
    for list in lists {
      guard case .list(_, let children, nil) = list.value else {
        Issue.record("no list")
        return
      }
      #expect(children.count == 100)
    }
  }

  @Test func `long texts are cut after a scalar, and their whole size is known`() {
    let long = String(repeating: "ä", count: 5_000_000)
    guard case .string(let text) = reader.node(of: "a" + long) else {
      Issue.record("no string")
      return
    }
    #expect(text.size == 10_000_001)
    #expect(text.text.utf8.count == 4_095)
    #expect(text.text.hasPrefix("aää"))
    #expect(text.text.last == "ä")
    struct Long: CustomStringConvertible {
      let description: String
    }
    guard case .value(let description, "Long") = reader.node(of: Long(description: long)) else {
      Issue.record("no value")
      return
    }
    #expect(description.size == 10_000_000)
    #expect(description.text.utf8.count == 4_096)
    #expect(reader.shortText(of: Long(description: long)).unicodeScalars.count == 300)
    #expect(reader.shortText(of: [long, long]).unicodeScalars.count == 300)
    #expect(reader.shortText(of: long).hasSuffix("…"))
    let lines = reader.changeLines(from: long, to: "a").lines
    #expect(lines.allSatisfy { $0.unicodeScalars.count < 400 })
    #expect(CutText("ä", limit: 1) == CutText("ä", limit: 0))
    #expect(CutText("ä", limit: 2).size == nil)
  }

  @Test func `many long texts have a limited number of bytes together`() throws {
    let long = String(repeating: "a", count: 4_000)
    let node = try #require(
      reader.node(of: Array(repeating: Array(repeating: long, count: 40), count: 90)))
    let size = try JSONEncoder().encode(node).count
    #expect(size < 2_000_000)
  }

  @Test func `texts are those of the value, whatever they contain`() {
    let evil = "<script>alert(1)</script>\0\u{202E}\u{2028}\u{1B}[31m"
    struct Evil: CustomStringConvertible { let description: String }
    #expect(reader.node(of: evil) == .string(CutText(evil, limit: 100)))
    #expect(
      reader.node(of: Evil(description: evil)) == .value(CutText(evil, limit: 100), type: "Evil"))
    #expect(reader.shortText(of: Evil(description: evil)) == evil)
    #expect(reader.shortText(of: evil) == "\"\(evil)\"")
    #expect(reader.shortText(of: #"a"b\"#) == #""a\"b\\""#)
  }

  @Test func `a private type in a description has no address`() {
    struct Local { let x = 1 }
    let text = "\(reader.node(of: [Local()]) ?? .null)"
    #expect(!text.contains("unknown context"))
  }

  @Test func `mirrors with many or endless children are read as far as they are shown`() {
    struct Endless: CustomReflectable {
      var customMirror: Mirror {
        let elements = (0..<Int.max).lazy.filter { _ in true }
        return Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
      }
    }
    struct Wide: CustomReflectable {
      var customMirror: Mirror {
        Mirror(self, children: (0..<5_000).map { ("p\($0)", $0) }, displayStyle: .struct)
      }
    }
    guard case .object("Wide", let properties) = reader.node(of: Wide()) else {
      Issue.record("no object")
      return
    }
    #expect(properties.count == 1_001)
    #expect(properties.last == .init(name: "…", value: .cut(.size, type: "")))
    guard case .list("Endless", let elements, 100_000) = reader.node(of: Endless(), from: 5) else {
      Issue.record("no list")
      return
    }
    #expect(elements.first == .init(name: "5", value: .number("5")))
  }

  @Test func `objects with locks, atomics and closures are read`() {
    final class Locks: Sendable {
      let lock = Mutex(1)
      let flag = Atomic(true)
      let name = "a"
    }
    guard case .object("Locks", let children) = reader.node(of: Locks()) else {
      Issue.record("no object")
      return
    }
    #expect(children.map(\.name) == ["lock", "flag", "name"])
  }
}
