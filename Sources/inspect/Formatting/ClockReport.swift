/// Describes virtual clocks in a table.
enum ClockReport {
  private static let columns: [TextTable.Column] = [
    .right("#"), .right("seconds"), .right("next due"), .left("state"), .left("composers"),
  ]

  static func lines(_ clocks: [ClockInfo], _ composers: [ComposerInfo]) -> [StyledText] {
    let (head, rows) = TextTable.lines(columns, clocks.map { cells($0, composers) })
    return [StyledText(head, .bold)] + rows.map { StyledText($0) }
  }

  private static func cells(_ clock: ClockInfo, _ composers: [ComposerInfo]) -> [String] {
    let names = composers.filter { $0.clock == clock.clock && $0.isLive }.map(\.name.visible)
    return [
      "\(clock.clock)", Figures.seconds(clock.elapsed),
      clock.nextDue.map { Figures.seconds($0) } ?? "", state(of: clock),
      names.joined(separator: ", "),
    ]
  }

  private static func state(of clock: ClockInfo) -> String {
    if !clock.isPaused { return "runs" }
    return clock.isWaiting ? "paused" : "paused, not advanced now"
  }
}
