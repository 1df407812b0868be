/// A page of the site.
package struct SitePage: Sendable {
  /// What a page is about, for the list of search results.
  package enum Kind: String, Sendable {
    case overview, `operator`, recipe, guide, symbol
  }

  /// The place in the site: "operators/map.html".
  package let place: String
  package let title: String
  package let kind: Kind
  /// One sentence of plain text.
  package let summary: String
  /// Other words that a reader may search for.
  package let words: [String]
  /// The content of the page, without its frame.
  package let content: HTML
  /// The list at the side of the content.
  package let side: HTML?

  package init(
    _ place: String, _ title: String, _ kind: Kind, summary: String, words: [String] = [],
    side: HTML? = nil, content: HTML
  ) {
    self.place = place
    self.title = title
    self.kind = kind
    self.summary = summary
    self.side = side
    self.words = words
    self.content = content
  }
}
