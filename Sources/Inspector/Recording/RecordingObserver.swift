/// Passes the steps and effects of a composer on to its record.
final class RecordingObserver: StoreObserver {
  private let record: ComposerRecord
  private let clock: any SchedulerType

  init(_ record: ComposerRecord, _ clock: any SchedulerType) {
    (self.record, self.clock) = (record, clock)
  }

  func stepped(_ step: RecordedStep) { record.record(.step(step), at: clock.now) }

  func effectStarted(_ number: Int, _ origin: EffectOrigin, id: String?, _ kind: EffectKind?) {
    let name = EffectName(id: id, kind: kind)
    record.record(.effect(.started(number, origin, name)), at: clock.now)
  }

  func effectEnded(_ number: Int, _ outcome: EffectOutcome, in step: Int?) {
    let end = EffectEnd(outcome: outcome, step: step)
    record.record(record.completed(.effect(.ended(number, end, .none))), at: clock.now)
  }
}
