/// Describes the first difference between two composers.
enum ComparisonReport {
  static func lines(_ comparison: Comparison, _ format: RowFormat) -> [StyledText] {
    let equal = comparison.equalSteps
    guard let difference = comparison.difference else {
      return [StyledText("equal: all, \(Figures.count(equal, "step"))")]
    }
    var lines = [
      StyledText("equal: the first \(Figures.count(equal, "step"))"),
      StyledText("different: step \(difference.position + 1) of both", .bold),
    ]
    for (row, order) in zip(difference.rows, ["first", "second"]) {
      lines.append(
        StyledText("  ") + (row.map(format.line) ?? StyledText("the \(order) has no more steps")))
    }
    if !difference.changes.isEmpty {
      lines.append(StyledText("from the first state to the second", .bold))
      lines += difference.changes.lines(more: difference.moreChanges).map { StyledText("  ") + $0 }
    }
    if let advice = difference.advice { lines.append(StyledText(advice)) }
    return lines
  }
}
