import OperatorPages

/// The pages that lead to the others.
struct OverviewPages {
  let archives: [DocCArchive]

  func pages() throws -> [SitePage] { [try home(), decisions, guides, reference] }

  private func home() throws -> SitePage {
    let cards = [
      (
        "compose/firstprogram.html", "A first program",
        "From an empty package to a live program, in five steps with pictures."
      ),
      (
        "operators/index.html", "Operators",
        "Every operator with a diagram that its readers can move."
      ),
      ("which-operator.html", "Which operator?", "A few questions lead to the right one."),
      (
        "recipes/index.html", "Recipes",
        "Code for problems that many programs have, with its tests."
      ),
      ("guides.html", "Guides", "Articles about streams, composers, sockets and tests."),
      ("reference.html", "Reference", "All public types and their members."),
    ]
    return SitePage(
      "index.html", "ReactiveCompose", .overview,
      summary:
        """
        Reactive streams, unidirectional architecture and WebSockets for Swift 6 without \
        dependencies.
        """,
      content: .group([
        .tag("h1", [:], "ReactiveCompose"),
        .tag(
          "p", ["class": "lead"],
          """
          Reactive streams, unidirectional architecture and WebSockets for Swift 6 without \
          dependencies.
          """
        ),
        .tag(
          "ul", ["class": "cards"],
          all: cards.map { place, title, text in
            .tag("li", [:], .link(.text(title), to: place), .tag("p", [:], .text(text)))
          }), try example(), .tag("h2", ["id": "modules"], "Modules"),
        .tag(
          "ul",
          all: archives.map { archive in
            .tag(
              "li", [:],
              .link(.code(archive.module), to: "\(archive.module.lowercased())/index.html"),
              ": ", abstract(of: archive.articles.first, at: "index.html"))
          }),
      ]))
  }

  /// The diagram of one operator, as an invitation.
  private func example() throws -> HTML {
    guard let page = OperatorPage.all.first(where: { $0.name == "flatMapLatest" }) else {
      preconditionFailure("The operator of the first page has no page.")
    }
    return .group([
      .tag("h2", ["id": "example"], .link(.code(page.name), to: OperatorSitePages.place(of: page))),
      .tag("p", [:], .prose(page.summary)), try DiagramFigure(page.diagram).html(id: "diagram"),
    ])
  }

  private func abstract(of node: RenderNode?, at place: String) -> HTML {
    RenderWriter(place: place, references: node?.references ?? [:]).inline(node?.abstract)
  }

  private var guides: SitePage {
    list(
      "guides.html", "Guides", "Articles about streams, composers, sockets and tests."
    ) { $0.articles }
  }

  private var reference: SitePage {
    list("reference.html", "Reference", "All public types of each module.") { $0.types }
  }

  private func list(
    _ place: String, _ title: String, _ summary: String, _ nodes: (DocCArchive) -> [RenderNode]
  ) -> SitePage {
    let modules = archives.map { archive in
      HTML.group([
        .tag("h2", ["id": archive.module.lowercased()], .text(archive.module)),
        .tag(
          "ul", ["class": "cards"],
          all: nodes(archive).map { node in
            .tag(
              "li", [:],
              .link(.text(node.title), to: SiteAddress.place(ofDocC: node.path) ?? ""),
              .tag("p", [:], abstract(of: node, at: place)))
          }),
      ])
    }
    return SitePage(
      place, title, .overview, summary: summary,
      content: .group([
        .tag("h1", [:], .text(title)), .tag("p", ["class": "lead"], .text(summary)),
        .group(modules),
      ]))
  }

  // MARK: - The decision tree

  private var decisions: SitePage {
    SitePage(
      "which-operator.html", "Which operator do I need?", .overview,
      summary: "A few questions lead to the right operator.",
      content: .group([
        .tag("h1", [:], "Which operator do I need?"),
        .tag("p", ["class": "lead"], "Open the answer that fits. Each path ends at an operator."),
        .tag("div", ["class": "tree"], answers(of: .root)),
      ]))
  }

  private func answers(of decision: Decision) -> HTML {
    .group(
      [.tag("p", ["class": "question"], .prose(decision.question))] + decision.answers.map(answer))
  }

  private func answer(_ answer: Decision.Answer) -> HTML {
    switch answer.next {
    case .question(let next):
      return .tag("details", [:], .tag("summary", [:], .prose(answer.text)), answers(of: next))
    case .page(let name):
      let page = OperatorPage.all.first { $0.name == name }
      let address = page.map(OperatorSitePages.place) ?? ""
      return .tag(
        "p", ["class": "leaf"], .prose("\(answer.text): "), .link(.code(name), to: address))
    }
  }
}
