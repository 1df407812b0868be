import Reactive
import ReactiveTesting
import Testing

/// One operator or creation function with the data that the rules of the contract need.
struct Row: Sendable, CustomTestStringConvertible {
  enum Kind: String, CaseIterable, Codable, Sendable {
    /// Has no source.
    case creation
    /// Has one source, or one at a time.
    case oneSource
    /// Has sources that may emit from different threads.
    case severalSources
    /// Uses the time of a scheduler.
    case timeBased
    /// Has one source for all its observers.
    case shared
  }

  /// Exceptions that a rule makes for a row.
  struct Traits: OptionSet, Sendable {
    let rawValue: Int
    /// An error of a source does not end the result.
    static let handlesErrors = Traits(rawValue: 1)
    /// Subscribes again after every error without a limit.
    static let retriesForever = Traits(rawValue: 2)
    /// Its elements depend on the time of a source's end.
    static let dependsOnEnd = Traits(rawValue: 4)
    /// Its second source would end it: only the first source sends elements.
    static let feedsFirst = Traits(rawValue: 8)
    /// Its elements depend on which source emits first.
    static let dependsOnOrder = Traits(rawValue: 16)
    /// Emits every element of all its sources.
    static let emitsAll = Traits(rawValue: 32)
    /// A driver or a signal: delivers on the scheduler that stands in for the main queue.
    static let onMain = Traits(rawValue: 64)
    /// Disposes of its source in scheduled work.
    static let disposesInTurn = Traits(rawValue: 128)
    /// Never ends when its sources end in the wrong order, as in RxSwift.
    static let mayNotEnd = Traits(rawValue: 256)
    /// Stores elements of its one source in a collection.
    static let keepsElements = Traits(rawValue: 512)
  }

  /// The name as declared: `map(_:)`, `Observable.merge(_:)`.
  let name: String
  let kind: Kind
  let sourceCount: Int
  /// The events that an observer receives while the script runs: see `OperatorHarness.play`.
  let emits: String
  let traits: Traits
  /// The trait, for operators that several traits have in common.
  let variant: String?
  let build: @Sendable ([Observable<Int>], TestScheduler) -> Observable<Int>

  var testDescription: String { variant.map { "\(name) of \($0)" } ?? name }
  var ends: Bool { emits.hasSuffix("|") || emits.hasSuffix("x") }
  var firstElement: String? { emits.split(separator: " ").map(String.init).first { $0 != "|" } }
}

extension Row {
  /// Runs `body`, for drivers and signals on the main actor.
  func onItsActor(_ body: @escaping @Sendable () -> Void) async {
    if traits.contains(.onMain) { await MainActor.run(body: body) } else { body() }
  }
}

/// The rows of the contract: one for each declaration of a public operator or creation function.
///
/// A row has the name, the events that it emits in the script, and the operator. `CoverageTests`
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

  /// Adds a creation function.
  mutating func source(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (TestScheduler) -> Observable<Int>
  ) {
    add(name, emits, .creation, sources: 0, traits) { build($1) }
  }

  /// Adds an operator with one source.
  mutating func one(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Observable<Int>) -> Observable<Int>
  ) {
    add(name, emits, .oneSource, sources: 1, traits) { sources, _ in build(sources[0]) }
  }

  /// Adds an operator with two sources.
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

  /// Adds an operator with `count` sources.
  mutating func several(
    _ count: Int,
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable ([Observable<Int>]) -> Observable<Int>
  ) {
    add(name, emits, .severalSources, sources: count, traits) { sources, _ in build(sources) }
  }

  /// Adds an operator with one source and a scheduler.
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

  /// Adds an operator that shares its source.
  mutating func shared(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Observable<Int>) -> Observable<Int>
  ) {
    add(name, emits, .shared, sources: 1, traits) { sources, _ in build(sources[0]) }
  }
}
