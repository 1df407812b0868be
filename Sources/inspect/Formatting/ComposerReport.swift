/// Describes composers in a table.
enum ComposerReport {
  static func lines(_ composers: [ComposerInfo]) -> [StyledText] {
    // A new connection has no rates yet.
    let hasRates = composers.contains { $0.stepsPerSecond > 0 }
    let columns: [TextTable.Column] =
      [.right("#"), .left("composer"), .left("type"), .right("steps")]
      + (hasRates ? [.right("/s")] : [])
      + [.right("queue"), .right("running"), .left("actions")]
    let (head, rows) = TextTable.lines(columns, composers.map { cells($0, hasRates: hasRates) })
    var lines = [StyledText(head, .bold)]
    for (composer, row) in zip(composers, rows) {
      lines.append(StyledText(row, composer.isLive ? .plain : .faint))
      append(composer.children ?? [], "     ", &lines)
    }
    return lines
  }

  private static func cells(_ composer: ComposerInfo, hasRates: Bool) -> [String] {
    let fork = composer.fork.map { ", fork of \($0.composer) after #\($0.event)" } ?? ""
    let names = [
      "\(composer.composer)", composer.name.visible + fork, composer.type.visible,
    ]
    let rate = hasRates ? [Figures.rate(composer.stepsPerSecond)] : []
    return names + [Figures.count(composer.steps)] + rate + [
      Figures.count(composer.queue), Figures.count(composer.running),
      composer.isLive
        ? composer.actions.joined(separator: ", ").visible
          + (composer.canSend || composer.actions.isEmpty ? "" : " (not to be sent)")
        : "ended",
    ]
  }

  private static func append(
    _ children: [ChildInfo], _ indent: String, _ lines: inout [StyledText]
  ) {
    for child in children {
      let count =
        child.isMany ? " × \(Figures.count(child.live))" : child.live == 0 ? " (absent)" : ""
      lines.append(StyledText(indent + "└ " + child.name + count, .faint))
      append(child.children ?? [], indent + "  ", &lines)
    }
  }
}
