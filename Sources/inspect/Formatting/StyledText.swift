/// The style of a text; all colours are readable on black and on white.
enum Style: String, Sendable {
  case plain = ""
  case bold = "1"
  case faint = "38;5;245"
  case green = "38;5;35"
  case red = "38;5;167"
  case blue = "38;5;33"
  case violet = "38;5;134"
}

/// A line with styles, in which control characters are visible.
struct StyledText: Equatable, Sendable {
  private struct Span: Equatable, Sendable {
    let text: String
    let style: Style
  }

  private var spans: [Span] = []

  init(_ text: String = "", _ style: Style = .plain) {
    if !text.isEmpty { spans = [Span(text: text.visible, style: style)] }
  }

  /// The text without styles.
  var text: String { spans.map(\.text).joined() }

  /// The text with the escape sequences of its colours.
  var escaped: String {
    spans.map { span in
      span.style == .plain ? span.text : "\u{1B}[\(span.style.rawValue)m\(span.text)\u{1B}[0m"
    }
    .joined()
  }

  /// The longest beginning of at most `limit` columns of a terminal.
  func prefix(columns limit: Int) -> StyledText {
    var rest = limit
    var beginning = StyledText()
    for span in spans {
      let kept = String(span.text.prefix(columns: rest))
      beginning.spans.append(Span(text: kept, style: span.style))
      if kept.utf8.count < span.text.utf8.count { break }
      rest -= kept.columns
    }
    return beginning
  }

  static func + (lhs: StyledText, rhs: StyledText) -> StyledText {
    var sum = lhs
    sum.spans += rhs.spans
    return sum
  }

  static func += (lhs: inout StyledText, rhs: StyledText) { lhs.spans += rhs.spans }
}
