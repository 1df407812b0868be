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
}
