extension String {
  /// The text with escapes for the characters that move the cursor, break the line, change colours or reorder
  /// text: `\n`, `\u{1B}`.
  var visible: String {
    guard unicodeScalars.contains(where: \.isInvisible) else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text.append(contentsOf: #"\n"#.unicodeScalars)
      case "\r": text.append(contentsOf: #"\r"#.unicodeScalars)
      case "\t": text.append(contentsOf: #"\t"#.unicodeScalars)
      case _ where scalar.isInvisible:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        text.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
      default: text.append(scalar)
      }
    }
    return String(text)
  }

  /// The text at the right end of `width` columns.
  func right(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - columns)) + self
  }

  /// The text at the left end of `width` columns.
  func left(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// At most the first `limit` characters, with `…` when there are more.
  func cut(to limit: Int) -> String {
    let end = index(startIndex, offsetBy: limit, limitedBy: endIndex) ?? endIndex
    return end == endIndex ? self : self[..<end] + "…"
  }
}

extension Unicode.Scalar {
  fileprivate var isInvisible: Bool {
    if value >= 0x20, value < 0x7F { return false }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    // Emoji have joiners and tags.
    case .format: return value != 0x200C && value != 0x200D && !(0xE0020...0xE007F).contains(value)
    default: return false
    }
  }
}
