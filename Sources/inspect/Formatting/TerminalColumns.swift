extension Character {
  /// The columns of a terminal that it takes.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.isASCII { return 1 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let isEmoji =
      first.properties.isEmojiPresentation || unicodeScalars.contains { $0.value == 0xFE0F }
    return isEmoji || first.isWide ? 2 : 1
  }
}

extension Unicode.Scalar {
  /// Whether its East Asian width is wide or full (Unicode Standard Annex 11), by blocks.
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}

extension String {
  /// The columns of a terminal that the text takes.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The longest beginning of at most `limit` columns.
  func prefix(columns limit: Int) -> Substring {
    var columns = 0
    return prefix { character in
      columns += character.columns
      return columns <= limit
    }
  }
}

extension StyledText {
  /// The text in at most `limit` columns, with `…` when there are more.
  func cut(toColumns limit: Int) -> StyledText {
    guard limit > 0, text.columns > limit else { return self }
    return prefix(columns: limit - 1) + StyledText("…", .faint)
  }
}
