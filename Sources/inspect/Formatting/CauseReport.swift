/// Describes the causes and the effects of an event.
enum CauseReport {
  /// - Parameter event: row of the event; nil if it is not known
  static func lines(_ event: Row, _ reply: CausesAndEffects, _ format: RowFormat) -> [StyledText] {
    var lines = [format.line(event)]
    lines.append(StyledText("caused by", .bold))
    if reply.causes.isEmpty {
      lines.append(StyledText("  nothing in the program, or a dropped event"))
    }
    lines += reply.causes.map { StyledText("  ") + format.line($0) }
    lines.append(StyledText("has caused", .bold))
    if reply.effects.isEmpty { lines.append(StyledText("  nothing until now")) }
    for branch in reply.effects { append(branch, "  ", &lines, format) }
    if reply.isCut {
      lines.append(StyledText("  … and more, which the program has left out", .faint))
    }
    return lines
  }

  private static func append(
    _ branch: CausesAndEffects.Branch, _ indent: String, _ lines: inout [StyledText],
    _ format: RowFormat
  ) {
    lines.append(StyledText(indent) + format.line(branch.row))
    for child in branch.children { append(child, indent + "  ", &lines, format) }
  }
}
