/// Describes effects in one line each.
struct EffectReport {
  /// The time that lines count from.
  let started: Double
  let names: SourceNames

  func line(_ effect: EffectInfo) -> StyledText {
    StyledText("#\(effect.event)".right(7), .faint)
      + StyledText(" \(Figures.seconds(effect.started - started).right(9)) ", .faint)
      + StyledText(names[effect.composer].left(names.width), .blue)
      + StyledText(" effect \(effect.effect)", .violet)
      + StyledText(RowFormat.name(effect.effectKind, effect.id))
      + StyledText(" by \(RowFormat.origin(effect.origin))", .faint) + StyledText(": ")
      + end(effect)
      + StyledText(effect.emissions > 0 ? ", " + Figures.count(effect.emissions, "action") : "")
  }

  private func end(_ effect: EffectInfo) -> StyledText {
    if effect.outcome == nil, let ended = effect.ended {
      return StyledText("no end after \(Figures.seconds(ended - effect.started)) s")
    }
    guard let outcome = effect.outcome, let ended = effect.ended else {
      let age = effect.age.map { " for \(Figures.seconds($0)) s" } ?? ""
      return StyledText("running\(age)", .green)
    }
    let error = effect.error.map { ": \($0)" } ?? ""
    let step = effect.by.map { " by \(RowFormat.origin($0))" } ?? ""
    return StyledText(
      "\(outcome)\(step) after \(Figures.seconds(ended - effect.started)) s\(error)",
      outcome == "failed" ? .red : .plain)
  }
}
