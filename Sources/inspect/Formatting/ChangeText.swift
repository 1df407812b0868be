extension ValueChange {
  /// The change in one line: `rows[id: 7].isDone: false → true`.
  func text(limit: Int = 200) -> StyledText {
    let place = path.isEmpty ? "state" : path
    func value(_ node: ValueNode?) -> String? { node.map { ValueText.line($0, limit: limit) } }
    let change =
      switch (value(old), value(new)) {
      case (let old?, let new?): "\(old) → \(new)"
      case (nil, let new?): "added \(new)"
      case (let old?, nil): "removed \(old)"
      case (nil, nil): "moved" + (moved.map { " from \($0.from) to \($0.to)" } ?? "")
      }
    return StyledText("\(place): ", .faint) + StyledText(change, .green)
  }
}

extension [ValueChange] {
  /// A line for each change, and one for the number of others.
  func lines(more count: Int?) -> [StyledText] {
    let others = count ?? 0
    let cut = others > 0 ? [StyledText("… \(Figures.count(others)) more", .faint)] : []
    return map { $0.text() } + cut
  }
}
