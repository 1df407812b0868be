import DocumentationSite
import Foundation
import OperatorPages
import Testing

@Suite("Pages of operators")
struct OperatorPageTests {
  /// The types whose members are operators.
  private static let types: Set = [
    "ObservableType", "ObservableConvertibleType", "CombinableType", "BindableType",
    "ConnectableObservableType", "InfallibleType", "PrimitiveSequence", "PrimitiveSequenceType",
    "SharedSequence", "SharedSequenceConvertibleType", "RelayType", "SubjectType", "AsyncSequence",
    "ControlEventType", "ControlPropertyType",
  ]

  /// Members of these types that are no operators: requirements and conversions of a value to itself.
  private static let others: Set = [
    "asObserver()", "accept(_:)", "combined(_:)", "primitiveSequence", "asControlEvent()",
    "asControlProperty()", "orEmpty",
  ]

  private func symbols() throws -> Set<PublicSymbol> {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try PublicSymbol.all(in: SymbolGraph.extract("Reactive", in: folder))
  }

  @Test func `Every public operator has a page, and every page an operator`() throws {
    let symbols = try symbols()
    let operators = symbols.filter {
      Self.types.contains($0.type) && !Self.others.contains($0.title)
    }
    let described = Set(OperatorPage.all.flatMap(\.symbols))
    #expect(operators.count > 150, "The symbols were not read.")
    let missing = operators.filter { !described.contains($0.title) }
    #expect(missing.isEmpty, "Without a page: \(missing.map { "\($0.type).\($0.title)" }.sorted())")
    let stale = described.subtracting(symbols.map(\.title))
    #expect(stale.isEmpty, "Not in the module: \(stale.sorted())")
  }

  @Test func `The files of the pages have different names, also without regard to case`() {
    let names = OperatorPage.all.map { $0.slug.lowercased() }
    #expect(Set(names).count == names.count)
    #expect(Set(OperatorPage.all.map(\.name)).count == names.count)
  }

  @Test(arguments: OperatorPage.all.map(\.name))
  func `Texts are sentences, and related operators exist`(name: String) throws {
    let page = try #require(OperatorPage.all.first { $0.name == name })
    let texts = [page.summary] + [page.ends, page.fails, page.threads, page.memory].map(\.text)
    for text in texts {
      #expect(text.hasSuffix(".") && text.first?.isUppercase == true, "\(text)")
      #expect(text.filter { $0 == "`" }.count.isMultiple(of: 2), "\(text)")
    }
    #expect(!page.related.isEmpty && !page.related.contains(name))
    #expect(Set(page.related).isSubset(of: OperatorPage.all.map(\.name)))
  }

  @Test(arguments: OperatorPage.all.map(\.name))
  func `An example prints the same each time`(name: String) async throws {
    let page = try #require(OperatorPage.all.first { $0.name == name })
    let lines = try await page.example.run()
    #expect(!lines.isEmpty)
    #expect(try await page.example.run() == lines)
    #expect(try page.example.source().contains("print"))
  }

  /// The contract's table of what each operator holds: the operators, and how much at most.
  private func contract() throws -> [(operators: [String], limit: String)] {
    let file = Repository.root.appending(path: "Sources/Reactive/Reactive.docc/Contract.md")
    let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("| `") && $0.filter { $0 == "|" }.count == 5
    }
    return rows.map { row in
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      let names = cells[1].split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
      return (names.map { String($0.element.replacing("(_:)", with: "")) }, String(cells[3]))
    }
  }

  @Test func `Pages and the contract agree about memory without a bound`() throws {
    // Their rows are shared with operators whose elements or sources have no limit: a single has one
    // element, and `merge` the given sources.
    let bounded: Set = ["flatMapMaybe", "flatMapCompletable", "value", "merge"]
    var compared = 0
    for (operators, limit) in try contract() {
      for page in OperatorPage.all
      where operators.contains(page.name) && !bounded.contains(page.name) {
        let isUnlimited = limit.contains("unbounded") || limit.contains("all, for `\(page.name)`")
        let isUnbounded = page.memory.text.contains(/without a bound|unbounded/)
        #expect(isUnbounded == isUnlimited, "\(page.name): \(page.memory.text)")
        compared += 1
      }
    }
    #expect(compared > 60, "The table was not read.")
  }

  @Test func `The decision tree leads to every operator`() {
    let names = OperatorPage.all.map(\.name)
    #expect(Set(Decision.root.pages) == Set(names))
  }
}
