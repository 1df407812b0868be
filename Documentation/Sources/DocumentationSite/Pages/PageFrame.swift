/// What surrounds the content of every page: the head, the header with the search, and the footer.
enum PageFrame {
  /// The pages in the header.
  private static let sections = [
    ("operators/index.html", "Operators"), ("which-operator.html", "Which operator?"),
    ("recipes/index.html", "Recipes"), ("guides.html", "Guides"), ("reference.html", "Reference"),
  ]

  /// The text of a page's file.
  static func render(_ page: SitePage) -> String {
    let root = SiteAddress.root(from: page.place)
    let document = HTML.tag(
      "html", ["lang": "en", "data-root": root], head(page, root),
      .tag(
        "body", [:], .tag("a", ["class": "skip", "href": "#content"], "Skip to the content"),
        header(page, root),
        .tag(
          "div", ["class": page.side == nil ? "page" : "page sided"],
          .tag("main", ["id": "content"], page.content),
          .group(
            page.side.map { [.tag("nav", ["class": "side", "aria-label": "Pages"], $0)] } ?? [])
        ),
        .tag(
          "footer", [:],
          "ReactiveCompose: reactive streams, unidirectional architecture and WebSockets for Swift."
        )
      ))
    return "<!DOCTYPE html>\n" + document.render()
  }

  private static func head(_ page: SitePage, _ root: String) -> HTML {
    let title = page.place == "index.html" ? page.title : "\(page.title) - ReactiveCompose"
    return .tag(
      "head", [:], .tag("meta", ["charset": "utf-8"]),
      .tag("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
      .tag("title", [:], .text(title)),
      .tag("meta", ["name": "description", "content": page.summary]),
      .tag("link", ["rel": "icon", "href": "data:,"]),
      .tag("link", ["rel": "stylesheet", "href": "\(root)style.css"]),
      .script([("src", "\(root)site.js"), ("defer", "defer")], ""))
  }

  private static func header(_ page: SitePage, _ root: String) -> HTML {
    let links = sections.map { place, title in
      var attributes: [HTML.Attribute] = [("href", root + place)]
      if place == page.place { attributes.append(("aria-current", "page")) }
      return HTML.element("a", attributes, [.text(title)])
    }
    let search = HTML.tag(
      "form", ["class": "search", "role": "search", "hidden": "hidden"],
      .tag(
        "input",
        [
          "type": "search", "placeholder": "Search ( / )", "aria-label": "Search",
          "autocomplete": "off", "spellcheck": "false",
        ]), .tag("ul", ["hidden": "hidden", "aria-label": "Results"]))
    return .tag(
      "header", [:],
      .tag(
        "div", ["class": "bar"],
        .tag("a", ["class": "home", "href": "\(root)index.html"], "ReactiveCompose"),
        .tag("nav", ["aria-label": "Sections"], all: links), search))
  }
}
