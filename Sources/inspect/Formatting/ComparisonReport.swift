/// Describes the first difference between two composers.
enum ComparisonReport {
  static func lines(_ comparison: Comparison, _ format: RowFormat) -> [StyledText] {
    let equal = comparison.equalSteps
    guard let difference = comparison.difference else {
      guard comparison.isCut else {
        return [StyledText("equal: all, \(Figures.count(equal, "step"))")]
      }
      return [
        StyledText("equal: the first \(Figures.count(equal, "step"))"),
        StyledText("not compared: the steps behind them", .bold),
      ]
    }
    var lines = [
      StyledText("equal: the first \(Figures.count(equal, "step"))"),
      StyledText("different: the next step", .bold),
    ]
    for (row, order) in zip(difference.rows, ["first", "second"]) {
      lines.append(
        StyledText("  ") + (row.map(format.line) ?? StyledText("the \(order) has no more steps")))
    }
    if !difference.actionChanges.isEmpty {
      let changes = difference.actionChanges.lines(
        of: "action", more: difference.moreActionChanges)
      lines.append(StyledText("from the first action to the second", .bold))
      lines += changes.map { StyledText("  ") + $0 }
    }
    if !difference.changes.isEmpty {
      lines.append(StyledText("from the first state to the second", .bold))
      lines += difference.changes.lines(more: difference.moreChanges).map { StyledText("  ") + $0 }
    }
    if let advice = difference.advice { lines.append(StyledText(advice)) }
    return lines
  }
}
