/// Describes composers in a table.
enum ComposerReport {
  static func lines(_ composers: [ComposerInfo]) -> [StyledText] {
    // A new connection has no rates yet.
    let hasRates = composers.contains { $0.stepsPerSecond > 0 }
    let head =
      ["#", "composer", "type", "steps"] + (hasRates ? ["/s"] : []) + [
        "queue", "running", "actions",
      ]
    let rows = composers.map { cells($0, hasRates: hasRates) }
    let widths = head.indices.dropLast().map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    func text(_ cells: [String]) -> String {
      let columns = zip(cells, widths).enumerated().map { column, cell in
        // Names are at the left, numbers at the right.
        column == 1 || column == 2 ? cell.0.left(cell.1) : cell.0.right(cell.1)
      }
      return (columns + [cells[cells.count - 1]]).joined(separator: "  ")
    }
    var lines = [StyledText(text(head), .bold)]
    for (composer, row) in zip(composers, rows) {
      lines.append(StyledText(text(row), composer.isLive ? .plain : .faint))
      append(composer.children ?? [], "     ", &lines)
    }
    return lines
  }

  private static func cells(_ composer: ComposerInfo, hasRates: Bool) -> [String] {
    let names = ["\(composer.composer)", composer.name.visible, composer.type.visible]
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
