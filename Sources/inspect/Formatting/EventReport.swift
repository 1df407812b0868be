/// Describes one event with all its values.
enum EventReport {
  static func lines(_ detail: EventDetail, _ format: RowFormat) -> [StyledText] {
    var row = detail.row
    // They follow in full.
    (row.changes, row.moreChanges) = (nil, nil)
    var lines = [format.line(row)]
    for action in detail.action where !(action.children ?? []).isEmpty {
      lines += ValueTree.lines(action, name: "action").map { StyledText("  " + $0) }
    }
    if !detail.changes.isEmpty { lines.append(StyledText("changes", .bold)) }
    lines += detail.changes.lines(more: detail.moreChanges).map { StyledText("  ") + $0 }
    return lines
  }
}
