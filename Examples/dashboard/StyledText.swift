/// The style of a text; all colours have medium brightness, readable on black and on white.
enum Style: String {
  case plain = ""
  case bold = "1"
  case faint = "38;5;245"
  case green = "38;5;35"
  case orange = "38;5;172"
  case red = "38;5;167"
  case blue = "38;5;33"
  case violet = "38;5;134"
}

/// A part of a line on the page: every character takes one column.
struct StyledText: Equatable {
  private struct Span: Equatable {
    var text: String
    var style: Style
  }

  private var spans: [Span] = []

  /// The text without styles.
  var text: String { spans.map(\.text).joined() }

  /// The width in columns.
  var width: Int { spans.reduce(0) { $0 + $1.text.count } }

  init(_ text: String = "", _ style: Style = .plain) {
    if !text.isEmpty { spans = [Span(text: text, style: style)] }
  }

  /// A character repeated `count` times.
  init(repeating character: Character, count: Int, _ style: Style = .plain) {
    self.init(String(repeating: character, count: max(0, count)), style)
  }

  static func + (lhs: StyledText, rhs: StyledText) -> StyledText {
    var sum = lhs
    sum += rhs
    return sum
  }

  static func += (lhs: inout StyledText, rhs: StyledText) { lhs.spans += rhs.spans }

  /// Cut or filled up to `columns`.
  func fitted(to columns: Int) -> StyledText {
    let missing = columns - width
    if missing >= 0 { return self + StyledText(repeating: " ", count: missing) }
    return cut(to: columns - 1) + StyledText(columns > 0 ? "…" : "", .faint)
  }

  /// This text at the left and `other` at the right of `columns`; without room `other` is left out.
  func spread(_ other: StyledText, over columns: Int) -> StyledText {
    let space = columns - width - other.width
    if space < 1 { return fitted(to: columns) }
    return self + StyledText(repeating: " ", count: space) + other
  }

  /// The text with the escape sequences of its colours.
  var escaped: String {
    spans.map { span in
      span.style == .plain ? span.text : "\u{1B}[\(span.style.rawValue)m\(span.text)\u{1B}[0m"
    }
    .joined()
  }

  private func cut(to columns: Int) -> StyledText {
    var room = columns
    var result = StyledText()
    for span in spans where room > 0 {
      let part = span.text.prefix(room)
      result.spans.append(Span(text: String(part), style: span.style))
      room -= part.count
    }
    return result
  }
}
