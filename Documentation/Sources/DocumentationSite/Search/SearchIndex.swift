import Foundation

/// The words of all pages, for a search without network.
package struct SearchIndex {
  private let pages: [[String]]
  private let words: [String: [Int]]

  /// An index of pages; the first ones come first among equal results.
  package init(_ pages: [SitePage]) {
    self.pages = pages.map {
      [$0.title, $0.place, $0.kind.rawValue, $0.summary] + $0.words.map { $0.lowercased() }
    }
    var words: [String: [Int]] = [:]
    for (number, page) in pages.enumerated() {
      for word in Self.words(of: "\(page.title) \(page.summary) \(page.content.words)") {
        words[word, default: []].append(number)
      }
    }
    self.words = words
  }

  /// The different words of a text, in lower case.
  static func words(of text: String) -> Set<String> {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    return Set(words.filter { (2...30).contains($0.count) }.map(String.init))
  }

  /// The numbers of the pages that contain words which begin with all words of a query.
  package func pages(matching query: String) -> [Int] {
    let found = Self.words(of: query).map { term in
      Set(words.filter { $0.key.hasPrefix(term) }.values.joined())
    }
    guard let first = found.first else { return [] }
    return found.dropFirst().reduce(first) { $0.intersection($1) }.sorted()
  }

  /// A script that sets the index, since a page that was opened as a file can load no data.
  package func script() throws -> String {
    struct Index: Encodable {
      let pages: [[String]]
      let words: String
    }
    let lines = words.sorted { $0.key < $1.key }.map { word, pages in
      "\(word) \(pages.map { String($0, radix: 36) }.joined(separator: ","))"
    }
    let index = Index(pages: pages, words: lines.joined(separator: "\n"))
    return "window.searchIndex = \(try JSON.text(index));\n"
  }
}
