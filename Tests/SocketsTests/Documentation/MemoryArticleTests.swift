import Foundation
import Reactive
import TestSupport
import Testing

@Suite("The article on memory", .workerPool)
struct MemoryArticleTests {
  private final class Header: Sendable {
    let title = BehaviorRelay(value: "")
    private let bag = DisposeBag()

    func show(_ name: String) { title.accept(name) }

    func showStrongly(_ names: Observable<String>) {
      names.subscribe(onNext: { self.show($0) }).disposed(by: bag)
    }

    func showWeakly(_ names: Observable<String>) {
      names.subscribe(onNext: { [weak self] in self?.show($0) }).disposed(by: bag)
    }

    func showWithSelf(_ names: Observable<String>) {
      names.subscribe(with: self, onNext: { $0.show($1) }).disposed(by: bag)
    }

    func showInPart(_ names: Observable<String>) {
      names.subscribe(onNext: { [title] in title.accept($0) }).disposed(by: bag)
    }
  }

  @Test func `a closure that holds self keeps the object until the source ends`() {
    let names = PublishSubject<String>()
    weak var header: Header?
    do {
      let shown = Header()
      shown.showStrongly(names)
      header = shown
    }
    names.onNext("Ann")
    #expect(header?.title.value == "Ann")
    names.onCompleted()
    #expect(header == nil)
  }

  @Test func `a closure that holds self weakly, by with: or in part ends with the object`() {
    for show in [Header.showWeakly, Header.showWithSelf, Header.showInPart] {
      let names = PublishSubject<String>()
      weak var header: Header?
      do {
        let shown = Header()
        show(shown)(names)
        names.onNext("Ann")
        #expect(shown.title.value == "Ann")
        header = shown
      }
      #expect(header == nil)
      #expect(!names.hasObservers)
    }
  }

  @Test func `the figures of the article are those of the benchmarks`() throws {
    struct Thresholds: Decodable {
      struct Figures: Decodable { let live: Double? }
      let figures: [String: Figures]
    }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String {
      try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
    let article = try text("Sources/Sockets/Sockets.docc/Memory.md")
    let thresholds = try JSONDecoder().decode(
      Thresholds.self, from: Data(text("Benchmarks/Thresholds.json").utf8))
    let rows = article.matches(of: /\| ([\d,]+) \| `(\w+\/\w+)` \|/)
    #expect(rows.count == 7)
    for row in rows {
      let figure = Double(row.1.replacing(",", with: ""))
      #expect(figure == thresholds.figures[String(row.2)]?.live?.rounded(), "\(row.2)")
    }
    let report = try text("Benchmarks/Report/floor.md")
    let resident = try #require(article.firstMatch(of: /([\d,]+ B); ([\d,]+ B) after one echo/))
    #expect(report.contains("| \(resident.1) |") && report.contains("| \(resident.2) |"))
  }
}
