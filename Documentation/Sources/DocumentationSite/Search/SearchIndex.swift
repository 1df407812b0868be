import Foundation

/// The words of all pages, for a search without network.
package struct SearchIndex {
  /// The parts of a page, from that which says most about its subject.
  private enum Part: CaseIterable {
    case title, summary, text

    /// The text of the part, with what else readers call the page and with its headings.
    func text(of page: SitePage) -> String {
      switch self {
      case .title: ([page.title] + page.words).joined(separator: " ")
      case .summary: "\(page.summary) \(page.content.headings)"
      case .text: page.content.words
      }
    }
  }

  private let pages: [[String]]
  /// The numbers of the pages that have a word, each in the first of its parts.
  private let words: [String: [Part: [Int]]]

  /// An index of pages; the first ones come first among equal results.
  package init(_ pages: [SitePage]) {
    self.pages = pages.map {
      [$0.title, $0.place, $0.kind.rawValue, $0.summary] + $0.words.map { $0.lowercased() }
    }
    var words: [String: [Part: [Int]]] = [:]
    for (number, page) in pages.enumerated() {
      var known: Set<String> = []
      for part in Part.allCases {
        for word in Self.words(of: part.text(of: page)) where known.insert(word).inserted {
          words[word, default: [:]][part, default: []].append(number)
        }
      }
    }
    self.words = words
  }

  /// The different words of a text, in lower case; those of names too, as "message" of `messageLimit`.
  static func words(of text: String) -> Set<String> {
    let names = Set(text.split { !$0.isLetter && !$0.isNumber })
    let compounds = names.filter { $0.dropFirst().contains(where: \.isUppercase) }
    let parts = compounds.flatMap { name in
      name.matches(of: /\p{Lu}?\p{Ll}{2,}|\p{Lu}{3,}(?!\p{Ll})/).map(\.output)
    }
    let words = (Array(names) + parts).map { $0.lowercased() }
    return Set(words.filter { (2...30).contains($0.count) })
  }

  /// The numbers of the pages that contain words which begin with all words of a query.
  package func pages(matching query: String) -> [Int] {
    let found = Self.words(of: query).map { term in
      Set(words.filter { $0.key.hasPrefix(term) }.values.flatMap { $0.values.joined() })
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
    let lines = words.sorted { $0.key < $1.key }.map { word, places in
      let lists = Part.allCases.map { part in
        (places[part] ?? []).map { String($0, radix: 36) }.joined(separator: ",")
      }
      return "\(word) \(lists.joined(separator: ";"))"
    }
    let index = Index(pages: pages, words: lines.joined(separator: "\n"))
    return "window.searchIndex = \(try JSON.text(index));\n"
  }
}

extension HTML {
  /// The text of the headings, with those of members.
  fileprivate var headings: String {
    switch self {
    case .element("h2", _, _), .element("h3", _, _), .element("h4", _, _): words
    case .element(_, _, let children), .group(let children):
      children.map(\.headings).filter { !$0.isEmpty }.joined(separator: " ")
    case .text, .script: ""
    }
  }
}
