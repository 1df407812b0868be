import OperatorPages

/// The pages of a module: its articles, and one page for each type with all its members.
struct ReferencePages {
  let archive: DocCArchive
  /// The operators' pages by the titles of their symbols.
  private let operators: [String: OperatorPage]

  init(_ archive: DocCArchive) {
    self.archive = archive
    let pairs = OperatorPage.all.flatMap { page in page.symbols.map { ($0, page) } }
    operators =
      archive.module == "Reactive"
      ? Dictionary(pairs, uniquingKeysWith: { first, _ in first }) : [:]
  }

  var pages: [SitePage] { archive.articles.map(article) + archive.types.map(type) }

  // MARK: - Articles

  private func article(_ node: RenderNode) -> SitePage {
    let place = SiteAddress.place(ofDocC: node.path) ?? ""
    var writer = RenderWriter(place: place, references: node.references ?? [:])
    writer.operators = operatorAddresses(from: place)
    let words = node.content.compactMap { otherWords(in: $0, writer) }.joined()
    let blocks = node.content.filter { otherWords(in: $0, writer) == nil }
    return SitePage(
      place, node.title, .guide, summary: writer.inline(node.abstract).words,
      words: Array(words), side: side(place),
      content: .group([
        path(place, "guides.html", "Guides"), .tag("h1", [:], .text(node.title)),
        .tag("p", ["class": "lead"], writer.inline(node.abstract)), writer.blocks(blocks),
        topics(node, writer, except: []), .otherWords(Array(words)),
      ]))
  }

  /// The words of a paragraph that lists other words for its article; nil for any other block.
  private func otherWords(in block: RenderBlock, _ writer: RenderWriter) -> [String]? {
    guard block.type == "paragraph" else { return nil }
    let text = writer.inline(block.inlineContent).words
    guard text.hasPrefix(HTML.otherWordsPrefix), text.hasSuffix(".") else { return nil }
    let list = text.dropFirst(HTML.otherWordsPrefix.count).dropLast()
    return list.split(separator: ",").map { word in
      word.split { $0.isWhitespace }.joined(separator: " ")
    }
  }

  /// The addresses of the operators' pages in an article: by name, as "merge" or "merge(_:)", and by symbol.
  private func operatorAddresses(from place: String) -> [String: String] {
    if archive.module != "Reactive" { return [:] }
    let named = OperatorPage.all.flatMap { page in
      [page.name, "\(page.name)(_:)"].map { ($0, page) } + page.symbols.map { ($0, page) }
    }
    return Dictionary(named, uniquingKeysWith: { first, _ in first }).mapValues {
      SiteAddress.relative(OperatorSitePages.place(of: $0), from: place)
    }
  }

  /// The lists of links to other pages.
  private func topics(_ node: RenderNode, _ writer: RenderWriter, except own: Set<String>) -> HTML {
    let sections = (node.topicSections ?? []).map { section -> HTML in
      let items = section.identifiers.filter { !own.contains($0) }.compactMap {
        identifier -> HTML? in
        guard let target = writer.references[identifier], let address = writer.address(of: target)
        else { return nil }
        return .tag(
          "li", [:], .link(.text(target.title ?? ""), to: address),
          .tag("p", [:], writer.inline(target.abstract)))
      }
      if items.isEmpty { return .group([]) }
      return .group([
        .tag("h2", [:], .text(section.title ?? "")), .tag("ul", ["class": "cards"], all: items),
      ])
    }
    return .group(sections)
  }

  // MARK: - Types

  private func type(_ node: RenderNode) -> SitePage {
    let place = SiteAddress.place(ofDocC: node.path) ?? ""
    let writer = RenderWriter(place: place, references: node.references ?? [:])
    let members = archive.nodes.values.filter {
      !$0.isGroup && $0.path.hasPrefix(node.path + "/")
    }.sorted { ($0.title, $0.path) < ($1.title, $1.path) }
    return SitePage(
      place, node.title, .symbol, summary: writer.inline(node.abstract).words, side: side(place),
      content: .group([
        path(place, "reference.html", "Reference"), .tag("h1", [:], .code(node.title)),
        .tag("p", ["class": "lead"], writer.inline(node.abstract)),
        .group(node.declarations.map(writer.declaration)), parameters(node, writer),
        writer.blocks(node.content.withoutFirstHeading),
        members.isEmpty ? .group([]) : .tag("h2", ["id": "members"], "Members"),
        .group(members.map { member($0, of: node, at: place) }),
      ]))
  }

  private func member(_ node: RenderNode, of type: RenderNode, at place: String) -> HTML {
    let writer = RenderWriter(place: place, references: node.references ?? [:])
    let anchor = String(node.path.dropFirst(type.path.count + 1))
    // A member of a nested type shows the name of that type too.
    let owners = node.identifier.url.dropFirst(type.identifier.url.count + 1).split(separator: "/")
    let owner = owners.dropLast().map { "\($0)." }.joined()
    let page = operators[node.title].map { page in
      HTML.tag(
        "p", [:],
        .link(
          .group(["Diagram and rules: ", .code(page.name)]),
          to: SiteAddress.relative(OperatorSitePages.place(of: page), from: place)))
    }
    return .tag(
      "section", ["class": "member"],
      .tag("h3", ["id": anchor], .code(owner + node.title)),
      .group(node.declarations.map(writer.declaration)),
      .tag("p", [:], writer.inline(node.abstract)), parameters(node, writer),
      writer.blocks(node.content.withoutFirstHeading, headingsFrom: 4).withoutIdentifiers,
      .group(page.map { [$0] } ?? []))
  }

  private func parameters(_ node: RenderNode, _ writer: RenderWriter) -> HTML {
    if node.parameters.isEmpty { return .group([]) }
    return .tag(
      "ul",
      all: node.parameters.map { parameter in
        .tag("li", [:], .code(parameter.name), ": ", writer.blocks(parameter.content).unwrapped)
      })
  }

  // MARK: - Around the content

  private func path(_ place: String, _ list: String, _ title: String) -> HTML {
    .tag(
      "p", ["class": "path"], .link(.text(title), to: SiteAddress.relative(list, from: place)),
      " / ",
      .link(.text(archive.module), to: "index.html"))
  }

  private func side(_ place: String) -> HTML {
    func list(_ title: String, _ nodes: [RenderNode]) -> HTML {
      let targets = nodes.map { ($0.title, SiteAddress.place(ofDocC: $0.path) ?? "") }
      let items = targets.map { title, target in
        var attributes: [HTML.Attribute] = [("href", SiteAddress.relative(target, from: place))]
        if target == place { attributes.append(("aria-current", "page")) }
        return HTML.tag("li", [:], .element("a", attributes, [.text(title)]))
      }
      var attributes: [HTML.Attribute] = []
      if targets.contains(where: { $0.1 == place }) { attributes.append(("open", "open")) }
      return .element(
        "details", attributes, [.tag("summary", [:], .text(title)), .tag("ul", all: items)])
    }
    return .group([
      list("Guides of \(archive.module)", archive.articles),
      list("Types of \(archive.module)", archive.types),
    ])
  }
}

extension [RenderBlock] {
  /// The blocks without the heading that DocC puts above the discussion of a symbol.
  fileprivate var withoutFirstHeading: [RenderBlock] {
    first?.type == "heading" ? Array(dropFirst()) : self
  }
}

extension HTML {
  /// The content of a single paragraph.
  fileprivate var unwrapped: HTML {
    if case .group(let parts) = self, parts.count == 1,
      case .element("p", _, let content) = parts[0]
    {
      return .group(content)
    }
    return self
  }

  /// The same without identifiers, which would occur once for each member.
  fileprivate var withoutIdentifiers: HTML {
    switch self {
    case .element(let name, let attributes, let children):
      .element(name, attributes.filter { $0.name != "id" }, children.map(\.withoutIdentifiers))
    case .group(let parts): .group(parts.map(\.withoutIdentifiers))
    case .text, .script: self
    }
  }
}
