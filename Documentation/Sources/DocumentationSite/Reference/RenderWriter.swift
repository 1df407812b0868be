/// Writes what DocC has parsed as HTML of a page at a place.
struct RenderWriter {
  /// The place of the page: "reactive/timing.html".
  let place: String
  /// What the identifiers in the text stand for.
  let references: [String: RenderReference]
  /// The addresses of the operators' pages, by the names that tables use.
  var operators: [String: String] = [:]

  // MARK: - Blocks

  func blocks(_ blocks: [RenderBlock], headingsFrom level: Int = 2) -> HTML {
    .group(blocks.map { block($0, level) })
  }

  private func block(_ block: RenderBlock, _ level: Int) -> HTML {
    switch block.type {
    case "paragraph": .tag("p", [:], inline(block.inlineContent))
    case "heading":
      .tag(
        "h\(min(6, max(level, block.level ?? level)))", ["id": block.anchor ?? ""],
        .text(block.text ?? ""))
    case "codeListing": .listing((block.code ?? []).joined(separator: "\n"))
    case "unorderedList": list("ul", block, level)
    case "orderedList": list("ol", block, level)
    case "table": table(block, level)
    case "aside":
      .tag(
        "aside", [:], .tag("p", [:], .tag("strong", [:], .text(block.name ?? "Note"))),
        blocks(block.content ?? [], headingsFrom: level))
    case "thematicBreak": .tag("hr")
    default: preconditionFailure("The site cannot show a block of the type \(block.type).")
    }
  }

  private func list(_ name: String, _ block: RenderBlock, _ level: Int) -> HTML {
    .tag(
      name,
      all: (block.items ?? []).map { .tag("li", [:], item($0.content, level)) })
  }

  /// The content of a list item or a table cell: a single paragraph needs no element of its own.
  private func item(_ content: [RenderBlock], _ level: Int) -> HTML {
    guard content.count == 1, content[0].type == "paragraph" else {
      return blocks(content, headingsFrom: level)
    }
    return inline(content[0].inlineContent)
  }

  private func table(_ block: RenderBlock, _ level: Int) -> HTML {
    func row(_ cells: [[RenderBlock]], _ name: String) -> HTML {
      .tag("tr", all: cells.map { .tag(name, [:], item($0, level).linkingCode(to: operators)) })
    }
    let rows = block.rows ?? []
    let head = rows.prefix(1).map { HTML.tag("thead", [:], row($0, "th")) }
    let body = HTML.tag("tbody", all: rows.dropFirst().map { row($0, "td") })
    return .tag("div", ["class": "scroll"], .tag("table", all: head + [body]))
  }

  // MARK: - Sentences

  func inline(_ content: [RenderInline]?) -> HTML { .group((content ?? []).map(inline)) }

  private func inline(_ piece: RenderInline) -> HTML {
    switch piece.type {
    case "text": .text(piece.text ?? "")
    case "codeVoice": .code(piece.code ?? "")
    case "emphasis", "newTerm": .tag("em", [:], inline(piece.inlineContent))
    case "strong", "inlineHead": .tag("strong", [:], inline(piece.inlineContent))
    case "reference": reference(piece)
    case "image": image(piece.identifier.flatMap { references[$0] })
    default: preconditionFailure("The site cannot show text of the type \(piece.type).")
    }
  }

  private func reference(_ piece: RenderInline) -> HTML {
    guard let target = piece.identifier.flatMap({ references[$0] }) else {
      return .text(piece.text ?? "")
    }
    let name = target.title ?? ""
    let isSymbol = target.type == "topic" && !name.contains(" ") && piece.overridingTitle == nil
    let title: HTML =
      if let own = piece.overridingTitleInlineContent { inline(own) } else if isSymbol {
        .code(name)
      } else { .text(name) }
    guard piece.isActive != false, let address = address(of: target) else { return title }
    return .link(title, to: address)
  }

  /// A picture, which may have a variant for dark pages.
  private func image(_ target: RenderReference?) -> HTML {
    func address(isDark: Bool) -> String? {
      let picture = target?.variants?.first { $0.isDark == isDark }
      return picture?.url.split(separator: "/").last.map {
        SiteAddress.relative("images/\($0)", from: place)
      }
    }
    let image = HTML.tag("img", ["src": address(isDark: false) ?? "", "alt": target?.alt ?? ""])
    guard let dark = address(isDark: true) else { return image }
    return .tag(
      "picture", [:],
      .tag("source", ["srcset": dark, "media": "(prefers-color-scheme: dark)"]), image)
  }

  /// The address of a target; nil for a symbol of another package.
  func address(of target: RenderReference) -> String? {
    guard let url = target.url else { return nil }
    if url.hasPrefix("http") { return url }
    return SiteAddress.place(ofDocC: url).map { SiteAddress.relative($0, from: place) }
  }

  // MARK: - Declarations

  func declaration(_ tokens: [RenderToken]) -> HTML {
    let code = tokens.map { token -> HTML in
      guard let target = token.identifier.flatMap({ references[$0] }),
        let address = address(of: target)
      else { return .text(token.text) }
      return .link(.text(token.text), to: address)
    }
    return .tag("div", ["class": "declaration"], .tag("pre", [:], .tag("code", all: code)))
  }
}

extension HTML {
  /// The same with links around code that is a name of `addresses`.
  fileprivate func linkingCode(to addresses: [String: String]) -> HTML {
    switch self {
    case .element("code", _, let content):
      addresses[HTML.group(content).words].map { .link(self, to: $0) } ?? self
    case .element("a", _, _), .text, .script: self
    case .element(let name, let attributes, let children):
      .element(name, attributes, children.map { $0.linkingCode(to: addresses) })
    case .group(let parts): .group(parts.map { $0.linkingCode(to: addresses) })
    }
  }
}
