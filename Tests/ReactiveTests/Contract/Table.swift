import Reactive
import ReactiveTesting
import Testing

/// One operator or source, as the contract's rules see it.
struct Row: Sendable, CustomTestStringConvertible {
  enum Kind: String, CaseIterable, Codable, Sendable {
    /// Has no source.
    case creation
    /// Has one source, or one at a time.
    case oneSource
    /// Has sources that may emit from different threads.
    case severalSources
    /// Waits for a scheduler's time.
    case timeBased
    /// Has one source for all its observers.
    case shared
  }

  /// What a rule must know of a row.
  struct Traits: OptionSet, Sendable {
    let rawValue: Int
    /// An error of a source is not the end of the result.
    static let handlesErrors = Traits(rawValue: 1)
    /// Subscribes again after every error, without end.
    static let retriesForever = Traits(rawValue: 2)
    /// What it emits depends on when a source ends, not only on what it emitted.
    static let mindsTheEnd = Traits(rawValue: 4)
    /// Its second source ends it without being asked to: only the first one is fed.
    static let feedsFirst = Traits(rawValue: 8)
    /// What it emits depends on which of its sources speaks first.
    static let mindsTheOrder = Traits(rawValue: 16)
    /// Emits every element of all its sources.
    static let emitsAll = Traits(rawValue: 32)
    /// A driver or a signal: delivers on the scheduler that stands in for the main queue.
    static let onMain = Traits(rawValue: 64)
    /// Disposes of its source in a turn of its scheduler.
    static let disposesInTurn = Traits(rawValue: 128)
    /// Never ends when its sources end in the wrong order, as in RxSwift.
    static let mayNotEnd = Traits(rawValue: 256)
    /// Keeps elements of its one source in a collection.
    static let keepsElements = Traits(rawValue: 512)
  }

  /// As it is declared, less what it is declared on: `map(_:)`, `Observable.merge(_:)`.
  let name: String
  let kind: Kind
  let sourceCount: Int
  /// What an observer hears while the script runs: see `Stage.play`.
  let emits: String
  let traits: Traits
  /// Of which trait, for what several have in common.
  let variant: String?
  let build: @Sendable ([Observable<Int>], TestScheduler) -> Observable<Int>

  var testDescription: String { variant.map { "\(name) of \($0)" } ?? name }
  var ends: Bool { emits.hasSuffix("|") || emits.hasSuffix("x") }
  var firstElement: String? { emits.split(separator: " ").map(String.init).first { $0 != "|" } }
}

extension Row {
  /// Runs `body` where the row can be run: drivers and signals on the main actor.
  func onItsActor(_ body: @escaping @Sendable () -> Void) async {
    if traits.contains(.onMain) { await MainActor.run(body: body) } else { body() }
  }
}

/// The rows: each public operator and source has one for each of its declarations.
///
/// A row is one line: the name, what it emits in the script, and how it is made. `CoverageTests`
/// compares the names with the sources.
struct Table {
  private(set) var rows: [Row] = []

  static let all: [Row] = {
    var table = Table()
    table.addCreation()
    table.addOneSource()
    table.addSeveralSources()
    table.addCombining()
    table.addTimeBased()
    table.addShared()
    table.addPrimitive()
    table.addSharedSequences()
    return table.rows
  }()

  static func rows(_ kinds: Row.Kind...) -> [Row] { all.filter { kinds.contains($0.kind) } }

  mutating func add(
    _ name: String,
    _ emits: String,
    _ kind: Row.Kind,
    sources: Int,
    _ traits: Row.Traits = [],
    variant: String? = nil,
    _ build: @escaping @Sendable ([Observable<Int>], TestScheduler) -> Observable<Int>
  ) {
    rows.append(
      Row(
        name: name,
        kind: kind,
        sourceCount: sources,
        emits: emits,
        traits: traits,
        variant: variant,
        build: build
      )
    )
  }

  mutating func add(_ others: [Row]) { rows += others }

  /// A source.
  mutating func source(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (TestScheduler) -> Observable<Int>
  ) {
    add(name, emits, .creation, sources: 0, traits) { build($1) }
  }

  /// An operator with one source.
  mutating func one(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Observable<Int>) -> Observable<Int>
  ) {
    add(name, emits, .oneSource, sources: 1, traits) { sources, _ in build(sources[0]) }
  }

  /// An operator with two sources.
  mutating func two(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>
  ) {
    add(name, emits, .severalSources, sources: 2, traits) { sources, _ in
      build(sources[0], sources[1])
    }
  }

  /// An operator with `count` sources.
  mutating func several(
    _ count: Int,
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable ([Observable<Int>]) -> Observable<Int>
  ) {
    add(name, emits, .severalSources, sources: count, traits) { sources, _ in build(sources) }
  }

  /// An operator with one source that needs a scheduler.
  mutating func timed(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>
  ) {
    add(name, emits, .timeBased, sources: 1, traits) { sources, scheduler in
      build(sources[0], scheduler)
    }
  }

  /// An operator that shares its source.
  mutating func shared(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Observable<Int>) -> Observable<Int>
  ) {
    add(name, emits, .shared, sources: 1, traits) { sources, _ in build(sources[0]) }
  }
}
