/// A page as DocC describes it in JSON: the parts that the site shows.
struct RenderNode: Decodable, Sendable {
  struct Identifier: Decodable, Sendable { let url: String }

  struct Metadata: Decodable, Sendable {
    let title: String?
    let role: String?
    let roleHeading: String?
    let symbolKind: String?
  }

  struct TopicSection: Decodable, Sendable {
    let title: String?
    let identifiers: [String]
  }

  struct Variant: Decodable, Sendable { let paths: [String] }

  let identifier: Identifier
  let kind: String
  let metadata: Metadata
  let abstract: [RenderInline]?
  let primaryContentSections: [RenderSection]?
  let topicSections: [TopicSection]?
  let references: [String: RenderReference]?
  let variants: [Variant]?

  /// The path in DocC's address: "/documentation/reactive/observabletype/map(_:)".
  var path: String { variants?.first?.paths.first ?? "" }
  var title: String { metadata.title ?? "" }
  /// The number of parts of the path: 2 for the module, 3 for a type or an article.
  var depth: Int { path.split(separator: "/").count }
  /// Whether this is an article or the first page of the module.
  var isArticle: Bool { depth == 2 || (depth == 3 && kind == "article") }
  /// Whether this is a list of members that a type has from a protocol, which has no content.
  var isGroup: Bool { depth > 3 && metadata.role == "collectionGroup" }

  var declarations: [[RenderToken]] {
    (primaryContentSections ?? []).flatMap { $0.declarations ?? [] }.map(\.tokens)
  }

  var content: [RenderBlock] { (primaryContentSections ?? []).flatMap { $0.content ?? [] } }

  var parameters: [RenderSection.Parameter] {
    (primaryContentSections ?? []).flatMap { $0.parameters ?? [] }
  }
}

/// A part of a page.
struct RenderSection: Decodable, Sendable {
  struct Declaration: Decodable, Sendable { let tokens: [RenderToken] }

  struct Parameter: Decodable, Sendable {
    let name: String
    let content: [RenderBlock]
  }

  let declarations: [Declaration]?
  let content: [RenderBlock]?
  let parameters: [Parameter]?
}

/// A word of a declaration, which may be the name of a symbol.
struct RenderToken: Decodable, Sendable {
  let text: String
  let identifier: String?
}

/// What an identifier stands for: a symbol, an article, a link or a picture.
struct RenderReference: Decodable, Sendable {
  struct Picture: Decodable, Sendable {
    let url: String
    let traits: [String]?
    var isDark: Bool { traits?.contains("dark") == true }
  }

  let type: String
  let title: String?
  let url: String?
  let abstract: [RenderInline]?
  let alt: String?
  let variants: [Picture]?
}

/// A paragraph, a list, a table or another block.
struct RenderBlock: Decodable, Sendable {
  struct Item: Decodable, Sendable { let content: [RenderBlock] }

  let type: String
  let inlineContent: [RenderInline]?
  let content: [RenderBlock]?
  let items: [Item]?
  let rows: [[[RenderBlock]]]?
  let level: Int?
  let text: String?
  let anchor: String?
  let code: [String]?
  let name: String?
  let style: String?
}

/// A piece of a sentence.
struct RenderInline: Decodable, Sendable {
  let type: String
  let text: String?
  let code: String?
  let identifier: String?
  let isActive: Bool?
  let overridingTitle: String?
  let overridingTitleInlineContent: [RenderInline]?
  let inlineContent: [RenderInline]?
}
