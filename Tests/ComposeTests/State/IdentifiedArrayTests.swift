import Foundation
import TestSupport
import Testing

@testable import Compose

@Suite("An array whose elements are found by their ids", .workerPool)
struct IdentifiedArrayTests {
  struct Row: Identifiable, Hashable, Codable {
    var id: Int
    var title = ""
  }

  private func rows(_ ids: some Sequence<Int>) -> IdentifiedArray<Row> {
    IdentifiedArray(ids.map { Row(id: $0, title: "\($0)") })
  }

  @Test func `elements are read, changed, added and removed by their ids`() {
    var rows = rows(1...3)
    #expect(rows[id: 2]?.title == "2")
    #expect(rows[id: 4] == nil)
    rows[id: 2]?.title = "two"
    #expect(rows.map(\.title) == ["1", "two", "3"])
    rows[id: 1] = nil
    rows[id: 4] = Row(id: 4, title: "4")
    rows[id: 5] = nil
    rows[id: 6]?.title = "six"
    #expect(rows.ids == [2, 3, 4])
    #expect(rows.index(id: 4) == 2)
    #expect(rows.index(id: 1) == nil)
    #expect(rows.contains(id: 3))
    #expect(rows.remove(id: 3)?.title == "3")
    #expect(rows.remove(id: 3) == nil)
    #expect(rows.remove(at: 0).id == 2)
    #expect(rows.count == 1 && rows.last?.id == 4)
    rows.removeAll()
    #expect(rows.isEmpty)
  }

  @Test func `an element whose id is in the array already is not appended`() {
    var rows = rows(1...2)
    let isAppended = rows.append(Row(id: 1, title: "one"))
    #expect(!isAppended)
    #expect(rows.map(\.title) == ["1", "2"])
    #expect(rows.updateOrAppend(Row(id: 1, title: "one"))?.title == "1")
    #expect(rows.updateOrAppend(Row(id: 3)) == nil)
    #expect(rows.map(\.title) == ["one", "2", ""])
    #expect(
      IdentifiedArray([Row(id: 1, title: "a"), Row(id: 2), Row(id: 1, title: "b")])[0].title == "b")
  }

  @Test func `an element that changes its id stays in its place`() {
    var rows = rows(1...3)
    rows[id: 2]?.id = 7
    #expect(rows.ids == [1, 7, 3])
    #expect(rows[id: 2] == nil)
    #expect(rows.index(id: 7) == 1)
  }

  @Test(arguments: [(1, 3), (3, 1), (1, 200), (200, 1), (70, 71), (71, 70)])
  func `an element that takes the id of another one replaces it`(id: Int, other: Int) {
    var rows = rows(1...200)
    rows[id: id]?.id = other
    let expected = (1...200).filter { $0 != other }.map { $0 == id ? other : $0 }
    #expect(rows.ids == expected)
    for (position, id) in expected.enumerated() { #expect(rows.index(id: id) == position) }
    #expect(rows[id: other]?.title == "\(id)")
  }

  @Test func `elements are moved and sorted`() {
    var rows = rows(0..<6)
    rows.move(id: 1, to: 4)
    #expect(rows.ids == [0, 2, 3, 4, 1, 5])
    rows.move(id: 5, to: 0)
    #expect(rows.ids == [5, 0, 2, 3, 4, 1])
    rows.sort { $0.id < $1.id }
    #expect(rows.ids == [0, 1, 2, 3, 4, 5])
    rows.move(fromOffsets: IndexSet([1, 4]), toOffset: 3)
    #expect(rows.ids == [0, 2, 1, 4, 3, 5])
    rows.move(fromOffsets: IndexSet([0]), toOffset: 6)
    #expect(rows.ids == [2, 1, 4, 3, 5, 0])
    rows.move(id: 9, to: 0)
    rows.move(id: 2, to: 99)
    #expect(rows.ids == [1, 4, 3, 5, 0, 2])
    rows.remove(atOffsets: IndexSet([0, 4]))
    #expect(rows.ids == [4, 3, 5, 2])
    rows = self.rows(0..<6)
    rows.removeAll { $0.id.isMultiple(of: 2) }
    #expect(rows.ids == [1, 3, 5])
  }

  @Test(arguments: 0..<(isSanitized ? 2 : 20))
  func `random changes give the same elements as in an array`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var (rows, expected) = (IdentifiedArray<Row>(), [Row]())
    var copies: [(rows: IdentifiedArray<Row>, expected: [Row])] = []
    for number in 0..<3_000 {
      // Grows at first and shrinks later.
      let isGrowing = Int.random(in: 0..<3_000, using: &random) > number
      let id = Int.random(in: 0..<600, using: &random)
      let index = expected.firstIndex { $0.id == id }
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2:
        if isGrowing {
          let position = Int.random(in: 0...expected.count, using: &random)
          if index == nil { expected.insert(Row(id: id, title: "\(number)"), at: position) }
          rows.insert(Row(id: id, title: "\(number)"), at: position)
        } else {
          rows[id: id] = nil
          if let index { expected.remove(at: index) }
        }
      case 3:
        rows.append(Row(id: id))
        if index == nil { expected.append(Row(id: id)) }
      case 4:
        rows[id: id]?.title = "\(number)"
        if let index { expected[index].title = "\(number)" }
      case 5 where !expected.isEmpty:
        let position = Int.random(in: 0..<expected.count, using: &random)
        rows.move(id: id, to: index == nil ? 0 : position)
        if let index { expected.insert(expected.remove(at: index), at: position) }
      case 6:
        let other = Int.random(in: 0..<600, using: &random)
        rows[id: id]?.id = other
        if let index {
          expected[index].id = other
          let replaced = expected.indices.first { $0 != index && expected[$0].id == other }
          if let replaced { expected.remove(at: replaced) }
        }
      default: if number.isMultiple(of: 50) { copies.append((rows, expected)) }
      }
      if number.isMultiple(of: 20) || number > 2_900 {
        #expect(Array(rows) == expected)
        #expect(rows.indices.allSatisfy { rows[$0] == expected[$0] })
        #expect(expected.enumerated().allSatisfy { rows.index(id: $1.id) == $0 })
      }
    }
    // Changes of the original did not change the copies.
    for copy in copies { #expect(Array(copy.rows) == copy.expected) }
  }

  @Test func `arrays are equal when their elements and order are equal`() {
    let first = rows(0..<300)
    var second = first
    #expect(first == second)
    second[id: 7]?.title = "seven"
    #expect(first != second)
    second[id: 7]?.title = "7"
    #expect(first == second && first.hashValue == second.hashValue)
    // The same elements in other parts.
    for id in 0..<100 { second[id: id] = nil }
    for id in 0..<100 { second.insert(Row(id: id, title: "\(id)"), at: id) }
    #expect(first == second && first.hashValue == second.hashValue)
    second.move(id: 0, to: 1)
    #expect(first != second)
  }

  @Test func `an array is coded as an array, and rejects an id that occurs twice`() throws {
    let rows = rows(1...100)
    let data = try JSONEncoder().encode(rows)
    #expect(try JSONDecoder().decode([Row].self, from: data) == Array(rows))
    #expect(try JSONDecoder().decode(IdentifiedArray<Row>.self, from: data) == rows)
    let twice = Data(#"[{"id":1,"title":""},{"id":1,"title":""}]"#.utf8)
    #expect {
      try JSONDecoder().decode(IdentifiedArray<Row>.self, from: twice)
    } throws: { error in
      "\(error)".contains("Two elements have the id 1.")
    }
  }

  @Test func `a changed element is not copied`() {
    final class Storage {}
    struct Part: Identifiable {
      let id: Int
      var storage = Storage()
      var isUnique: Bool { mutating get { isKnownUniquelyReferenced(&storage) } }
    }
    var parts = IdentifiedArray((0..<100).map { Part(id: $0) })
    #expect(parts[id: 70]?.isUnique == true)
    let copy = parts
    #expect(parts[id: 70]?.isUnique == false)
    withExtendedLifetime(copy) {}
  }

  @Test func `the changes of a timeline name the elements that differ`() {
    struct State: Equatable { var rows: IdentifiedArray<Row> }
    let before = State(rows: rows(0..<100))
    var after = before
    after.rows[id: 5]?.title = "five"
    #expect(changes(from: before, to: after) == [#"rows[id: 5].title: "5" → "five""#])
  }

  @Test(arguments: [false, true])
  func `removals in any order leave few parts`(isDescending: Bool) {
    var rows = rows(0..<10_000)
    let removed = (0..<10_000).filter { $0 % 64 != 0 }
    for id in isDescending ? removed.reversed() : removed { rows[id: id] = nil }
    #expect(rows.ids == (0..<10_000).filter { $0 % 64 == 0 })
    #expect(rows.chunks.count < 10)
  }

  @Test func `an array is described like an array`() {
    #expect("\(IdentifiedArray([Row(id: 1)]))" == "\([Row(id: 1)])")
    #expect(Mirror(reflecting: rows(1...3)).children.count == 3)
  }
}
