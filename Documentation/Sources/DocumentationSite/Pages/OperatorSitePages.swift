import OperatorPages

/// The pages of the operators, and their list.
struct OperatorSitePages: Sendable {
  /// The documentation of the module of the operators.
  let reference: DocCArchive
  /// What the examples print, by the names of their pages.
  let outputs: [String: [String]]

  /// The place of an operator's page.
  static func place(of page: OperatorPage) -> String { "operators/\(page.slug).html" }

  func pages() async throws -> [SitePage] {
    [index] + (try await Parallel.map(OperatorPage.all) { try sitePage($0) })
  }

  private var index: SitePage {
    let groups = OperatorGroup.allCases.map { group in
      HTML.group([
        .tag("h2", ["id": group.rawValue], .text(group.title)),
        .tag("p", [:], .text(group.summary)),
        Self.cards(group.pages),
      ])
    }
    return SitePage(
      "operators/index.html", "Operators", .overview,
      summary: "All operators with their diagrams, rules and examples.",
      content: .group([
        .tag("h1", [:], "Operators"),
        .tag(
          "p", ["class": "lead"],
          """
          Each page has a diagram that is made by running the operator in virtual time: move its marbles, and \
          the answer moves.
          """),
        .tag(
          "p", [:], "Not sure which one? ",
          .link("Answer a few questions.", to: "../which-operator.html")),
        .group(groups),
      ]))
  }

  private static func cards(_ pages: [OperatorPage]) -> HTML {
    .tag(
      "ul", ["class": "cards"],
      all: pages.map { page in
        .tag(
          "li", [:], .link(.code(page.name), to: "\(page.slug).html"),
          .tag("p", [:], .prose(page.summary)))
      })
  }

  // MARK: - One page

  private func sitePage(_ page: OperatorPage) throws -> SitePage {
    let rules = [
      ("Ends", page.ends), ("Fails", page.fails), ("Threads", page.threads),
      ("Memory", page.memory),
    ]
    let output = outputs[page.name] ?? []
    let content = HTML.group([
      .tag("h1", [:], .code(page.name)), .tag("p", ["class": "lead"], .prose(page.summary)),
      try DiagramFigure(page.diagram).html(id: "diagram"), .tag("h2", ["id": "rules"], "Rules"),
      .tag(
        "dl", ["class": "rules"],
        all: rules.flatMap { name, rule -> [HTML] in
          [.tag("dt", [:], .text(name)), .tag("dd", [:], .prose(rule.text))]
        }),
      .tag(
        "p", [:], "The words for threads and memory are those of ",
        .link("the contract", to: "../reactive/contract.html"), "."),
      .tag("h2", ["id": "example"], "Example"), .listing(try page.example.source()),
      .tag("p", [:], "It prints:"), .listing(output.joined(separator: "\n")),
      declarations(of: page), related(to: page),
      .otherWords(page.words),
    ])
    return SitePage(
      Self.place(of: page), page.name, .operator, summary: HTML.prose(page.summary).words,
      words: page.words, side: side(page), content: content)
  }

  private func side(_ current: OperatorPage) -> HTML {
    .group(
      OperatorGroup.allCases.map { group in
        let items = group.pages.map { page in
          var attributes: [HTML.Attribute] = [("href", "\(page.slug).html")]
          if page.name == current.name { attributes.append(("aria-current", "page")) }
          return HTML.tag("li", [:], .element("a", attributes, [.text(page.name)]))
        }
        var attributes: [HTML.Attribute] = []
        if group.pages.contains(where: { $0.name == current.name }) {
          attributes.append(("open", "open"))
        }
        return .element(
          "details", attributes,
          [.tag("summary", [:], .text(group.title)), .tag("ul", all: items)])
      })
  }

  /// The declarations of the operator's symbols, each linked to its place in the reference.
  private func declarations(of page: OperatorPage) -> HTML {
    let place = Self.place(of: page)
    let members = reference.members.filter { page.symbols.contains($0.title) }
    let type = reference.types.first { $0.title == page.name }
    let found = type.map { [DocCArchive.Member(type: $0.title, title: $0.title, node: $0)] } ?? []
    let list = (found + members).prefix(Self.declarationLimit).map { member -> HTML in
      let writer = RenderWriter(place: place, references: member.node.references ?? [:])
      let address = SiteAddress.place(ofDocC: member.node.path) ?? ""
      return .group([
        .tag(
          "p", [:],
          .link(
            .group(["In ", .code(member.type)]),
            to: SiteAddress.relative(address, from: place)), ": ",
          writer.inline(member.node.abstract)),
        .group(member.node.declarations.map(writer.declaration)),
      ])
    }
    let rest = members.count - Self.declarationLimit
    let more = HTML.tag(
      "p", [:], .text("There are \(rest) more, for other kinds and numbers of sources."))
    return .group([
      .tag("h2", ["id": "declarations"], "Declarations"), .group(list),
      rest > 0 ? more : .group([]),
    ])
  }

  /// The number of declarations that a page shows.
  private static let declarationLimit = 8

  private func related(to page: OperatorPage) -> HTML {
    let pages = page.related.compactMap { name in OperatorPage.all.first { $0.name == name } }
    let group = OperatorGroup.allCases.first { $0.pages.contains { $0.name == page.name } }
    let guide = group.map { group in
      HTML.tag(
        "p", [:], "Guide: ",
        .link(.text(group.title), to: "../reactive/\(group.guide.lowercased()).html"))
    }
    if pages.isEmpty { return .group(guide.map { [$0] } ?? []) }
    return .group(
      [.tag("h2", ["id": "related"], "Related"), Self.cards(pages)] + (guide.map { [$0] } ?? []))
  }
}
