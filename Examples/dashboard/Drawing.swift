/// How high a bar is, in eighths of a line.
private let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

/// How long a bar is, in eighths of a column.
private let bars: [Character] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]

/// A bar of `share` of `width` columns.
func gauge(_ share: Double, width: Int, _ style: Style) -> StyledText {
  guard width > 0 else { return StyledText() }
  let eighths = level(share, of: width * 8)
  let full = eighths / 8
  let part = eighths % 8 == 0 ? "" : String(bars[eighths % 8])
  return StyledText(String(repeating: "█", count: full) + part, style)
    + StyledText(repeating: "·", count: width - full - part.count, .faint)
}

/// The last of `values`, the newest at the right, as bars whose full height is `ceiling`.
///
/// - Parameter style: the style of a row, by the share of the height where it is.
func chart(
  _ values: [Double],
  ceiling: Double,
  width: Int,
  height: Int,
  style: (Double) -> Style
) -> [StyledText] {
  let levels = values.suffix(max(0, width)).map { value in
    // A value of zero is drawn as a line: the value is known.
    max(1, level(ceiling > 0 ? value / ceiling : 0, of: height * 8))
  }
  let missing = String(repeating: " ", count: max(0, width - levels.count))
  return (0..<max(0, height)).reversed().map { row in
    let bars = levels.map { blocks[min(max(0, $0 - row * 8), 8)] }
    return StyledText(missing + String(bars), style(Double(row) / Double(height)))
  }
}

/// `share` of `whole`, clamped to it.
private func level(_ share: Double, of whole: Int) -> Int {
  share.isNaN ? 0 : Int((min(max(0, share), 1) * Double(whole)).rounded())
}

/// Rows in a frame, with a title, and a value at the right of it.
struct Panel {
  var title: String
  var value = StyledText()
  var footnote = StyledText()
  /// The height in lines; nil for a part of the remaining lines.
  var height: Int?
  /// The rows, for the size of the inside.
  var rows: (_ width: Int, _ height: Int) -> [StyledText]

  /// `height` lines of `width` columns.
  func lines(width: Int, height: Int) -> [StyledText] {
    guard width >= 8, height >= 2 else {
      return Array(repeating: StyledText().fitted(to: width), count: max(0, height))
    }
    let inside = rows(width - 4, height - 2).prefix(height - 2)
    let empty = Array(repeating: StyledText(), count: height - 2 - inside.count)
    let edge = StyledText("│", .faint)
    let body = (inside + empty).map { row in
      edge + StyledText(" ") + row.fitted(to: width - 4) + StyledText(" ") + edge
    }
    return [border("╭", StyledText(title, .bold), value, "╮", width)] + body
      + [border("╰", StyledText(), footnote, "╯", width)]
  }

  /// A horizontal border with a text at the left, and one at the right if there is room.
  private func border(
    _ start: Character,
    _ left: StyledText,
    _ right: StyledText,
    _ end: Character,
    _ width: Int
  ) -> StyledText {
    func spaced(_ text: StyledText) -> StyledText {
      text.width == 0 ? text : StyledText(" ") + text + StyledText(" ")
    }
    let room = width - 4
    let left = left.width + 2 > room ? left.fitted(to: room - 2) : left
    let hasRoom = spaced(left).width + spaced(right).width < room
    let texts = (spaced(left), hasRoom ? spaced(right) : StyledText())
    let line = StyledText(repeating: "─", count: room - texts.0.width - texts.1.width, .faint)
    return StyledText("\(start)─", .faint) + texts.0 + line + texts.1
      + StyledText("─\(end)", .faint)
  }
}
