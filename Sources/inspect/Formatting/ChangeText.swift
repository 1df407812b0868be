extension ValueChange {
  /// The change in one line: `rows[id: 7].isDone: false → true`.
  ///
  /// - Parameter whole: name of the whole value
  func text(of whole: String = "state", limit: Int = 200) -> StyledText {
    let place = path.isEmpty ? whole : path
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
  ///
  /// - Parameter whole: name of the whole value
  func lines(of whole: String = "state", more count: Int?) -> [StyledText] {
    let others = count ?? 0
    let cut = others > 0 ? [StyledText("… \(Figures.count(others)) more", .faint)] : []
    return map { $0.text(of: whole) } + cut
  }
}
