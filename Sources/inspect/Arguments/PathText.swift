/// Paths of values, as rows print them: `rows[id: 7].title`.
enum PathText {
  /// The names of the children on the path: `rows`, `id: 7`, `title`.
  static func names(in text: String) -> [String] {
    var names: [String] = []
    var name = ""
    var depth = 0
    // A bracket ends with a name that may be empty; a dot before it does not.
    func isName(_ end: Character) -> Bool { !name.isEmpty || end == "]" }
    func end(_ character: Character) {
      if isName(character) { names.append(name) }
      name = ""
    }
    for character in text {
      switch character {
      case "." where depth == 0: end(".")
      case "[":
        if depth == 0 { end("[") } else { name.append(character) }
        depth += 1
      case "]" where depth > 0:
        depth -= 1
        if depth == 0 { end("]") } else { name.append(character) }
      default: name.append(character)
      }
    }
    end(".")
    return names
  }
}
