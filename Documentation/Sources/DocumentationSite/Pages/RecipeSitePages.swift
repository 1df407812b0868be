import OperatorPages

/// The pages of the recipes, and their list.
struct RecipeSitePages {
  let recipes: [Recipe]
  let archives: [DocCArchive]

  func pages() throws -> [SitePage] { [index] + (try recipes.map(sitePage)) }

  private static let lead =
    """
    Problems that many programs have, each with code to copy and the test that has run it in virtual time.
    """

  private var index: SitePage {
    let topics = RecipeTopic.allCases.map { topic in
      HTML.group([
        .tag("h2", ["id": topic.rawValue.lowercased()], .text(topic.title)),
        .tag("p", [:], .text(topic.summary)),
        .tag(
          "ul", ["class": "cards"],
          all: recipes.filter { $0.topic == topic }.map { recipe in
            .tag(
              "li", [:], .link(.text(recipe.title), to: "\(recipe.slug).html"),
              .tag("p", [:], .prose(recipe[.problem])))
          }),
      ])
    }
    return SitePage(
      "recipes/index.html", "Recipes", .overview, summary: Self.lead,
      content: .group([
        .tag("h1", [:], "Recipes"), .tag("p", ["class": "lead"], .text(Self.lead)),
        .group(topics),
      ]))
  }

  // MARK: - One page

  private func sitePage(_ recipe: Recipe) throws -> SitePage {
    let place = "recipes/\(recipe.slug).html"
    let content = HTML.group([
      .tag(
        "p", ["class": "path"], .link("Recipes", to: "index.html"),
        .text(" / \(recipe.topic.title)")),
      .tag("h1", [:], .text(recipe.title)), .tag("p", ["class": "lead"], .prose(recipe[.problem])),
      .tag("h2", ["id": "code"], "The code"), .listing(recipe.code),
      .tag("p", [:], .prose(recipe[.why])),
      .tag("h2", ["id": "end"], "What ends it"), .tag("p", [:], .prose(recipe[.ends])),
      .tag("h2", ["id": "test"], "Its test"), .listing(recipe.test),
      .tag("p", [:], "Code and test are one file: ", .code(recipe.path), "."),
      .tag("h2", ["id": "related"], "Related"),
      .tag(
        "ul", ["class": "cards"],
        all: try recipe.related.map { try card($0, in: recipe, at: place) }),
      .otherWords(recipe.words),
    ])
    return SitePage(
      place, recipe.title, .recipe, summary: HTML.prose(recipe[.problem]).words,
      words: recipe.words,
      side: side(recipe), content: content)
  }

  /// A link to an operator's page by its name, or to an article or type as "Module/Name".
  private func card(_ name: String, in recipe: Recipe, at place: String) throws -> HTML {
    if let page = OperatorPage.all.first(where: { $0.name == name }) {
      let address = SiteAddress.relative(OperatorSitePages.place(of: page), from: place)
      return .tag(
        "li", [:], .link(.code(page.name), to: address), .tag("p", [:], .prose(page.summary)))
    }
    let path = "/documentation/\(name.lowercased())"
    for archive in archives {
      guard let node = archive.nodes.values.first(where: { $0.path == path }) else { continue }
      let writer = RenderWriter(place: place, references: node.references ?? [:])
      let address = SiteAddress.place(ofDocC: node.path) ?? ""
      return .tag(
        "li", [:],
        .link(
          node.isArticle ? .text(node.title) : .code(node.title),
          to: SiteAddress.relative(address, from: place)),
        .tag("p", [:], writer.inline(node.abstract)))
    }
    throw RecipeError(recipe.path, "There is no operator, type or article \(name).")
  }

  private func side(_ current: Recipe) -> HTML {
    .group(
      RecipeTopic.allCases.map { topic in
        let items = recipes.filter { $0.topic == topic }.map { recipe in
          var attributes: [HTML.Attribute] = [("href", "\(recipe.slug).html")]
          if recipe.slug == current.slug { attributes.append(("aria-current", "page")) }
          return HTML.tag("li", [:], .element("a", attributes, [.text(recipe.title)]))
        }
        let isOpen = topic == current.topic
        return .element(
          "details", isOpen ? [("open", "open")] : [],
          [.tag("summary", [:], .text(topic.title)), .tag("ul", all: items)])
      })
  }
}
