import Foundation
import TestSupport
import Testing

/// The contract tests cover every public operator.
@Suite(.workerPool) struct CoverageTests {
  /// The operators without a row, and the reason.
  private static let exempted: [String: String] = [
    "asObservable()": "itself",
    "AsyncSequence.asObservable(detached:priority:)": "needs tasks: AsyncBridgeTests",
    "PrimitiveSequence.debug(_:trimOutput:file:line:function:)": "writes to standard output",
    "SharedSequence.debug(_:trimOutput:file:line:function:)": "writes to standard output",
    "debug(_:trimOutput:file:line:function:)": "writes to standard output: DebugTests",
    "Observable.create(detached:priority:work:)": "needs tasks",
    "Single.create(detached:priority:work:)": "needs tasks",
    "PrimitiveSequence.asObservable()": "every row of primitive sequences ends with it",
    "PrimitiveSequence.primitiveSequence": "itself",
    "SharedSequence.asObservable()": "every row of shared sequences ends with it",
    "SharedSequence.asSharedSequence()": "itself",
    "ConnectableObservable.autoconnect()": "keeps its source: ConnectableObservableTests",
    "values": "needs tasks: AsyncBridgeTests",
    "values(bufferingPolicy:)": "needs tasks: AsyncBridgeTests",
    "values(buffer:onDropped:)": "needs tasks: BufferedValuesTests",
    "SharedSequence.values": "needs tasks: AsyncBridgeTests",
    "Single.value": "needs tasks: AsyncBridgeTests",
    "Maybe.value": "needs tasks",
    "Completable.value": "needs tasks",
    "Observable.combined(_:)": "what combineLatest and zip of any kind end with",
    "SharedSequence.combined(_:)": "what combineLatest and zip of any kind end with",
  ]

  /// Functions that end a chain of operators; every row is tested with one of them.
  private static let consumers = ["subscribe(", "bind(", "drive(", "emit("]

  private static func isConsumer(_ name: String) -> Bool {
    let name = name.split(separator: ".").last.map(String.init) ?? name
    return name != "subscribe(on:)" && consumers.contains { name.hasPrefix($0) }
  }

  private static func counts(_ names: some Sequence<String>) -> [String: Int] {
    Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
  }

  private func declared() throws -> [DeclaredName] {
    try DeclaredName.inSources("Creation", "Operators", "Traits").filter {
      !Self.isConsumer($0.name) && Self.exempted[$0.name] == nil
    }
  }

  @Test func `every declaration of a public operator has a row in the contract tests`() throws {
    let declared = Self.counts(try declared().map(\.name))
    let rows = Self.counts(Table.all.map(\.name))
    #expect(declared.count > 50)
    for (name, count) in declared.sorted(by: { $0.key < $1.key }) {
      let covered = rows[name, default: 0]
      #expect(covered >= count, "\(name) is declared \(count) times and has \(covered) rows")
    }
    for name in rows.keys.sorted() {
      #expect(declared[name] != nil, "\(name) has a row and is not declared")
    }
  }

  @Test func `Contract.md lists what each operator holds`() throws {
    var article = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { article.deleteLastPathComponent() }
    article.appendPathComponent("Sources/Reactive/Reactive.docc/Contract.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let table = text[try #require(text.range(of: "## What each operator holds")).upperBound...]
    let named = Set(table.matches(of: /`(\w+)[^`]*`/).map { String($0.1) })
    let operators = Set(
      try declared().map { declaration in
        let name = declaration.name.split(separator: ".").last ?? ""
        return String(name.prefix { $0 != "(" })
      })
    let unnamed = operators.filter { !named.contains($0) && !$0.hasPrefix("as") }
    #expect(unnamed.isEmpty, "\(unnamed.sorted())")
    #expect(operators.count > 70)
  }

  @Test func `every throwing closure parameter has a row in ThrowingTests`() throws {
    let declared = Self.counts(try declared().filter(\.takesThrowingClosure).map(\.name))
    let rows = Self.counts(ThrowingTests.rows.map(\.name))
    #expect(declared.count > 5)
    for (name, count) in declared.sorted(by: { $0.key < $1.key }) {
      let covered = rows[name, default: 0]
      #expect(covered >= count, "\(name) is declared \(count) times and has \(covered) rows")
    }
  }
}
