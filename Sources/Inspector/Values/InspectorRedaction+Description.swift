extension InspectorRedaction {
  /// The text of an error or of an id without the values of hidden names.
  ///
  /// Swift describes values by their labels and cases, as `rejected(token: "a")` or `token("a")`; texts of
  /// other origin have `token=a`. JSON is looked through too.
  func hidingValues(inDescription text: String) -> String {
    var scanner = DescriptionScanner(hidingValues(inJSON: text))
    return scanner.hidingValues(of: self)
  }

  /// The same for a cut text.
  func hidingValues(inDescription text: String?, limit: Int) -> String? {
    text.map { CutText($0, limit: limit).replacing { hidingValues(inDescription: $0) }.noted }
  }
}

/// Finds the values of names in a description.
private struct DescriptionScanner {
  private let text: [Character]
  private var next = 0

  init(_ text: String) { self.text = Array(text) }

  /// The text with hidden values replaced.
  mutating func hidingValues(of redaction: InspectorRedaction) -> String {
    var output = ""
    while next < text.count {
      let start = next
      skipName()
      if next == start {
        output.append(text[next])
        next += 1
        continue
      }
      let name = String(text[start..<next])
      output += name
      guard redaction.hides(name), let separator = separator() else { continue }
      output += separator
      let begin = next
      if separator == "(" { skipGroup() } else { skipValue() }
      if next > begin { output += InspectorRedaction.mark }
    }
    return output
  }

  private mutating func skipName() {
    while next < text.count, text[next].isLetter || text[next].isNumber || text[next] == "_" {
      next += 1
    }
  }

  /// Passes over what is between a name and its value; nil when no value follows.
  private mutating func separator() -> String? {
    guard next < text.count, [":", "=", "("].contains(text[next]) else { return nil }
    let start = next
    next += 1
    if text[start] != "(" { while next < text.count, text[next] == " " { next += 1 } }
    return String(text[start..<next])
  }

  /// Passes over a value: up to the end of a literal, or to what separates it from the next one.
  private mutating func skipValue() {
    while next < text.count {
      switch text[next] {
      case "\"": skipLiteral()
      case "(", "[", "{":
        next += 1
        skipGroup()
        next = min(next + 1, text.count)
      case ")", "]", "}", ",", ";", "&", " ", "\n": return
      default: next += 1
      }
    }
  }

  /// Passes over the rest of a group, up to its closing bracket.
  private mutating func skipGroup() {
    var depth = 0
    while next < text.count {
      switch text[next] {
      case "\"":
        skipLiteral()
        continue
      case "(", "[", "{": depth += 1
      case ")", "]", "}":
        if depth == 0 { return }
        depth -= 1
      default: break
      }
      next += 1
    }
  }

  private mutating func skipLiteral() {
    next += 1
    while next < text.count, text[next] != "\"" { next += text[next] == "\\" ? 2 : 1 }
    next = min(next + 1, text.count)
  }
}
