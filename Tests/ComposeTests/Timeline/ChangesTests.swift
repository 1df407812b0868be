import Compose
import TestSupport
import Testing

@Suite("Changes of a value", .workerPool) struct ChangesTests {
  struct Person: Equatable {
    var name: String;
    var age: Int
  }
  struct Party {
    var host: Person?;
    var guests: [Person] = [];
    var places: [String: Int] = [:]
  }
  enum Phase { case idle, loading(Int), saving(Int), loaded(rows: Int, of: Person) }
  struct Celsius: CustomStringConvertible {
    var degrees: Double
    var description: String { "\(degrees)°" }
  }
  final class Box: Sendable {
    let count: Int;
    init(_ count: Int) { self.count = count }
  }
  struct Odd: Equatable {
    let id: Int;
    static func == (lhs: Self, rhs: Self) -> Bool { false }
  }

  let ann = Person(name: "Ann", age: 30)
  let bob = Person(name: "Bob", age: 30)

  @Test func `a changed part is described by its path`() {
    #expect(changes(from: 1, to: 2) == ["1 → 2"])
    #expect(changes(from: ann, to: bob) == ["name: \"Ann\" → \"Bob\""])
    let old = Party(host: ann, guests: [ann, bob])
    let new = Party(host: bob, guests: [ann, Person(name: "Bob", age: 31)])
    #expect(
      changes(from: old, to: new) == [
        "host.some.name: \"Ann\" → \"Bob\"", "guests[1].age: 30 → 31",
      ])
  }

  @Test func `values with different parts are described as wholes`() {
    #expect(changes(from: [1], to: [1, 2]) == ["[1] → [1, 2]"])
    #expect(changes(from: Phase.idle, to: Phase.loading(1)) == ["idle → loading(1)"])
    #expect(changes(from: Phase.loading(1), to: Phase.loading(2)) == ["loading: 1 → 2"])
    #expect(changes(from: Phase.loading(1), to: Phase.saving(1)) == ["loading(1) → saving(1)"])
    #expect(changes(from: [Phase.idle], to: [Phase.idle, .idle]).count == 1)
    #expect(
      changes(from: Phase.loaded(rows: 1, of: ann), to: Phase.loaded(rows: 2, of: ann)) == [
        "loaded.rows: 1 → 2"
      ])
    #expect(changes(from: Int?.none as Any, to: Int?.some(1) as Any) == ["nil → Optional(1)"])
    #expect(changes(from: 1, to: "1") == ["1 → \"1\""])
  }

  @Test func `a value with its own description is described by it`() {
    #expect(changes(from: Celsius(degrees: 1), to: Celsius(degrees: 2)) == ["1.0° → 2.0°"])
  }

  @Test func `equal values have no changes, Equatable or not, in any order of storage`() {
    let keys = (0..<100).map { "\($0)" }
    let forward = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
    var backward: [String: Int] = [:]
    backward.reserveCapacity(1_000)
    for key in keys.reversed() { backward[key] = 1 }
    #expect(changes(from: Party(places: forward), to: Party(places: backward)).isEmpty)
    #expect(changes(from: Phase.loading(1), to: Phase.loading(1)).isEmpty)
    #expect(changes(from: (), to: ()).isEmpty)
    #expect(changes(from: Box(1), to: Box(2)).isEmpty)
  }

  @Test func `an unequal Equatable value with equal text has a change`() {
    #expect(changes(from: Odd(id: 1), to: Odd(id: 1)) == ["Odd(id: 1) → Odd(id: 1)"])
  }

  struct Row: Identifiable, Equatable {
    let id: Int
    var title = "a"
  }
  struct Plain: Identifiable {
    let id: Int
    var title = "a"
  }
  struct List {
    var rows: IdentifiedArray<Row>
    @Shared var shared: IdentifiedArray<Row> = []
    var path: ScreenStack<Person> = []
  }

  private func listChanges(_ count: Int, _ change: (inout List) -> Void) -> [String] {
    let old = List(rows: IdentifiedArray((0..<count).map { Row(id: $0) }))
    var new = old
    change(&new)
    return changes(from: old, to: new)
  }

  @Test func `a list of elements with ids is compared by the ids`() {
    #expect(listChanges(10_000) { $0.rows[id: 5_000] = nil } == ["rows: removed 5000"])
    #expect(
      listChanges(3) { $0.rows.insert(Row(id: 7), at: 1) }
        == [#"rows: added 7 at 1: Row(id: 7, title: "a")"#])
    #expect(listChanges(10_000) { $0.rows.move(id: 3, to: 0) } == ["rows: moved 3 from 3 to 0"])
    #expect(
      listChanges(4) { $0.rows.move(id: 0, to: 3) } == ["rows: moved 0 from 0 to 3"])
    #expect(
      listChanges(10_000) {
        $0.rows[id: 0] = nil
        $0.rows[id: 12]?.title = "b"
      } == ["rows: removed 0", #"rows[id: 12].title: "a" → "b""#])
    #expect(listChanges(2) { $0.shared = [Row(id: 1)] }.count == 1)
    #expect(listChanges(2) { $0.shared = [Row(id: 1)] }[0].hasPrefix("shared: added 1 at 0"))
    #expect(
      changes(from: [Row(id: 1)] as IdentifiedArray, to: [] as IdentifiedArray<Row>) == [
        "removed 1"
      ])
  }

  struct Folder: Equatable {
    var rows: IdentifiedArray<Row> = []
    var owner: Person?
  }
  struct Wrapped {
    @Shared var folder = Folder(rows: [Row(id: 1)])
    @PresentState var guest: Person?
  }

  @Test func `a value in a property wrapper is compared part by part`() {
    let old = Wrapped(guest: ann)
    var new = old
    new.folder.rows[id: 1]?.title = "b"
    new.guest?.age = 31
    #expect(
      changes(from: old, to: new)
        == [#"folder.rows[id: 1].title: "a" → "b""#, "guest.some.age: 30 → 31"])
  }

  @Test func `a stack of screens is compared by the ids`() {
    var old = List(rows: [])
    old.path.push(ann)
    old.path.push(bob)
    var new = old
    new.path.pop()
    new.path[id: 0]?.age = 31
    #expect(changes(from: old, to: new) == ["path: removed 1", "path[id: 0].age: 30 → 31"])
  }

  @Test func `long lists of changed elements are shortened`() {
    #expect(
      listChanges(2_000) { $0.rows = IdentifiedArray($0.rows.filter { $0.id > 1_771 }) }
        == ["rows: removed 0, 1, 2 and 1,769 more"])
    #expect(
      listChanges(0) { $0.rows = IdentifiedArray((0..<5).map { Row(id: $0) }) }
        == ["rows: added 0, 1, 2 and 2 more"])
    let all = listChanges(2_000) { for id in 0..<2_000 { $0.rows[id: id]?.title = "b" } }
    #expect(all.count == 11)
    #expect(all.first == #"rows[id: 0].title: "a" → "b""#)
    #expect(all.last == "rows: changed 1,990 more")
    // Elements that are not Equatable, and were written without a change.
    let old = IdentifiedArray((0..<20).map { Plain(id: $0) })
    let new = IdentifiedArray((0..<20).map { Plain(id: $0, title: $0 < 12 ? "b" : "a") })
    #expect(changes(from: old, to: new).last == "changed 2 more")
    let reversed = listChanges(5) { $0.rows.sort { $0.id > $1.id } }
    #expect(
      reversed == ["rows: moved 4 from 4 to 0, 3 from 3 to 1, 2 from 2 to 2, 1 from 1 to 3"])
  }
}
