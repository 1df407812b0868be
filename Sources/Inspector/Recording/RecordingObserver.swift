#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// Passes the steps and effects of a composer on to the log.
///
/// A step reads this object and not the record, which the thread that moves the events into the log writes:
/// it is often on another processor, from whose cache each line would have to come.
final class RecordingObserver: StoreObserver {
  private let record: ComposerRecord
  private let log: EventLog
  private let clock: any SchedulerType
  private let hasEnded = Atomic(false)
  let sizer = EventSizer()

  /// - Parameter clock: the composer's clock.
  init(_ record: ComposerRecord, in log: EventLog, _ clock: any SchedulerType) {
    (self.record, self.log, self.clock) = (record, log, clock)
  }

  /// Notes that the composer has been released; effects may still end.
  func end() { hasEnded.store(true, ordering: .relaxed) }

  func stepped(_ step: RecordedStep) {
    append(.step(step), bytes: sizer.bytes(of: step, in: self), mayBeDelivered: step.mayBeDelivered)
  }

  func effectStarted(_ number: Int, _ origin: EffectOrigin, id: String?, _ kind: EffectKind?) {
    append(.effect(.started(number, origin, EffectName(id: id, kind: kind))), mayBeDelivered: false)
  }

  func effectEnded(_ number: Int, _ outcome: EffectOutcome, in step: Int?) {
    var bytes = EventSizer.inlineBytes
    if case .failed(let error) = outcome { bytes += error.utf8.count }
    let end = EffectEnd(outcome: outcome, step: step)
    append(.effect(.ended(number, end, .none)), bytes: bytes, mayBeDelivered: true)
  }

  /// - Parameter mayBeDelivered: whether the event that is delivered on the thread may be the cause: the
  ///   others have a nearer one.
  private func append(
    _ event: ProgramEvent, bytes: Int = EventSizer.inlineBytes, mayBeDelivered: Bool
  ) {
    // Asked first, because there is mostly none.
    let delivered = DeliveredEvent.number(in: log).flatMap { mayBeDelivered ? $0 : nil }
    log.append(
      event, of: record, at: clock.now, delivered: delivered, bytes: bytes,
      keepsSource: hasEnded.load(ordering: .relaxed))
  }
}

extension RecordedStep {
  fileprivate var mayBeDelivered: Bool {
    switch source {
    case .outside, .effect, .shared(_, nil): true
    case .step, .shared: false
    }
  }
}
