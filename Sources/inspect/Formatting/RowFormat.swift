/// Describes events in one line each:
/// `#812  12.345 Search step 12 by effect 4: toggle(id: 7)   rows[id: 7].isDone: false → true`,
/// `#821  12.400 ws://example.com/feed received: [type: "news"]   17 bytes`.
struct RowFormat: Sendable {
  /// The time that lines count from.
  let started: Double
  var names: SourceNames
  /// Whether the numbers, times and names have columns.
  var isAligned = true

  func line(_ row: Row) -> StyledText {
    let number = "#\(row.event)"
    let time = Figures.seconds(row.time - started)
    let name = names[row]
    return StyledText(isAligned ? number.right(7) : number, .faint)
      + StyledText(" " + (isAligned ? time.right(9) : time) + " ", .faint)
      + StyledText(isAligned ? name.left(names.width) : name, .blue) + StyledText(" ")
      + what(row)
  }

  private func what(_ row: Row) -> StyledText {
    switch row.kind {
    case "step": step(row)
    case "started": started(row)
    case "ended": ended(row)
    case "received", "sent": message(row)
    case "socket": StyledText(row.text ?? "", .violet)
    // Of a later version of the protocol.
    default: StyledText(row.kind)
    }
  }

  private func step(_ row: Row) -> StyledText {
    var line = StyledText("step \(row.step ?? 0)", .bold)
    if let source = row.source.flatMap(Self.source) { line += StyledText(" by \(source)", .faint) }
    let action = [row.text ?? "", row.change ?? ""].filter { !$0.isEmpty }
    line += StyledText(action.isEmpty ? "" : ": " + action.joined(separator: ", "))
    let changes = row.changes ?? []
    if !changes.isEmpty { line += StyledText("   " + changes.joined(separator: ", "), .green) }
    let others = row.moreChanges ?? 0
    if others > 0 {
      line += StyledText("\(changes.isEmpty ? "   " : ", ")\(Figures.count(others)) more", .faint)
    }
    return line
  }

  private func started(_ row: Row) -> StyledText {
    StyledText("effect \(row.effect ?? 0)", .violet)
      + StyledText(Self.name(row.effectKind, row.id)) + StyledText(" started", .violet)
      + StyledText(row.origin.map { " by \(Self.origin($0))" } ?? "", .faint)
  }

  private func ended(_ row: Row) -> StyledText {
    let isFailed = row.outcome == "failed"
    return StyledText("effect \(row.effect ?? 0)", .violet)
      + StyledText(Self.name(row.effectKind, row.id))
      + StyledText(" \(row.outcome ?? "ended")", isFailed ? .red : .violet)
      + StyledText(row.by.map { " by \(Self.origin($0))" } ?? "", .faint)
      + StyledText(row.error.map { ": \($0)" } ?? "", .red)
  }

  /// The kind and the id of an effect, each after a space: ` timer query`.
  static func name(_ kind: String?, _ id: String?) -> String {
    [kind, id].compactMap(\.self).map { " \($0)" }.joined()
  }

  private func message(_ row: Row) -> StyledText {
    StyledText(row.kind, .bold) + StyledText(": \(row.text ?? "")")
      + StyledText(row.size.map { "   " + Figures.count($0, "byte") } ?? "", .faint)
  }

  /// The sender of an action; nil for one outside.
  private static func source(_ source: Cause) -> String? {
    switch source.kind {
    case "outside": nil
    case "step": "step \(source.step ?? 0)"
    case "effect": "effect \(source.effect ?? 0)"
    case "shared":
      "shared value of \(source.name ?? "")" + (source.step.map { ", step \($0)" } ?? "")
    default: source.kind
    }
  }

  /// The cause of an effect.
  static func origin(_ origin: Cause) -> String {
    switch origin.kind {
    case "step": "step \(origin.step ?? 0)"
    case "stateEffect": "the state, \(origin.id ?? "")"
    case "middleware": "middleware at step \(origin.step ?? 0)"
    case "failure": "the failure of effect \(origin.effect ?? 0)"
    default: origin.kind
    }
  }
}
