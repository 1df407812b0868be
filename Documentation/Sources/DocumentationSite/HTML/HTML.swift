/// A part of a page, whose text is also well-formed XML.
package indirect enum HTML: Sendable, ExpressibleByStringLiteral {
  /// Text, whose special characters are escaped.
  case text(String)
  case element(String, [Attribute], [HTML])
  case group([HTML])
  /// A script: JSON or code, which must not contain `<` or `&`.
  case script([Attribute], String)

  /// A name with a value.
  package typealias Attribute = (name: String, value: String)

  package init(stringLiteral value: String) { self = .text(value) }

  /// An element with children.
  package static func tag(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ children: HTML...
  ) -> HTML { .element(name, attributes.map { ($0.key, $0.value) }, children) }

  /// An element with a list of children.
  package static func tag(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], all children: [HTML]
  ) -> HTML { .element(name, attributes.map { ($0.key, $0.value) }, children) }

  /// A link.
  package static func link(_ text: HTML, to address: String) -> HTML {
    .tag("a", ["href": address], text)
  }

  /// Code within a sentence.
  package static func code(_ text: String) -> HTML { .tag("code", [:], .text(text)) }

  /// A listing.
  package static func listing(_ code: String) -> HTML {
    .tag("pre", [:], .tag("code", [:], .text(code)))
  }

  /// Text in which backticks mark code.
  package static func prose(_ text: String) -> HTML {
    .group(
      text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map {
        number, part in
        number % 2 == 0 ? .text(String(part)) : .code(String(part))
      })
  }

  /// The paragraph with the other words that a reader may search for.
  package static func otherWords(_ words: [String]) -> HTML {
    if words.isEmpty { return .group([]) }
    return .tag(
      "p", ["class": "words"], .text("\(otherWordsPrefix)\(words.joined(separator: ", "))."))
  }

  /// The beginning of such a paragraph, also in an article.
  package static let otherWordsPrefix = "Other words for it: "

  /// The text of the file.
  package func render() -> String {
    var output = ""
    write(to: &output)
    return output
  }

  /// The text that a reader sees.
  package var words: String {
    switch self {
    case .text(let text): text
    case .element(let name, _, let children):
      // The words of two blocks are never one word.
      children.map(\.words).joined(separator: " ") + (Self.blocks.contains(name) ? " " : "")
    case .group(let parts): parts.map(\.words).joined()
    case .script: ""
    }
  }

  private func write(to output: inout String) {
    switch self {
    case .text(let text): output += Self.escaped(text)
    case .group(let parts): for part in parts { part.write(to: &output) }
    case .element(let name, let attributes, let children):
      Self.open(name, attributes, to: &output)
      if Self.emptyElements.contains(name) || (children.isEmpty && Self.shapes.contains(name)) {
        output += "/>"
        return
      }
      output += ">"
      for child in children { child.write(to: &output) }
      output += "</\(name)>"
      if Self.blocks.contains(name) { output += "\n" }
    case .script(let attributes, let content):
      Self.open("script", attributes, to: &output)
      output += ">\(content)</script>\n"
    }
  }

  private static func open(_ name: String, _ attributes: [Attribute], to output: inout String) {
    output += "<\(name)"
    for attribute in attributes { output += " \(attribute.name)=\"\(escaped(attribute.value))\"" }
  }

  private static let emptyElements: Set = ["meta", "link", "br", "hr", "img", "input", "source"]
  private static let shapes: Set = ["circle", "line", "path", "rect"]
  private static let blocks: Set = [
    "p", "div", "section", "h1", "h2", "h3", "h4", "li", "ul", "ol", "tr", "table", "pre", "nav",
    "svg", "header", "footer", "main", "figure", "details", "head", "title", "body", "dd", "dt",
    "dl",
  ]

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 38 || $0 == 60 || $0 == 62 || $0 == 34 }) else {
      return text
    }
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
