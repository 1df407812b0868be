#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A composer that the inspector observes; the subclass knows the types.
class ComposerRecord: EventSource, @unchecked Sendable {
  // `ledger`, `stepCount` and `rate` are protected by the lock of the log.
  /// The name of the composer's type.
  final let typeName: String
  /// The effects that run, and the last ones that have ended.
  final var ledger = EffectLedger()
  /// The number of all steps, including those that were dropped.
  final var stepCount = 0
  private final var rate: StepRate

  init(number: Int, name: String, typeName: String, at now: Date) {
    self.typeName = typeName
    rate = StepRate(at: now)
    super.init(number: number, name: name)
  }

  /// The steps a second until now; called under the lock.
  final func stepsPerSecond(at now: Date) -> Double { rate.update(stepCount, at: now) }

  /// The number of the actions that wait to be reduced.
  var queueDepth: Int { 0 }

  /// The children by the last call of ``readChildren()``.
  var children: [ChildSummary] { [] }

  /// Reads the children where the composer reduces, between two steps, which may be later.
  func readChildren() {}

  /// The time by the composer's clock; the last one after its end.
  var now: Date { .distantPast }

  /// The type of the actions.
  var actionType: any Sendable.Type { Never.self }

  /// Sends an action of that type.
  func send(_ action: any Sendable) {}

  // MARK: Events

  /// The number of the event of a step; nil when it is dropped; called under the lock.
  func event(ofStep step: Int) -> Int? { nil }

  /// The last step at this event or before it, and the state after it; called under the lock.
  ///
  /// Event 0 stands for the state before the first event that is kept.
  func state(at event: Int) -> (event: Int, state: any Sendable)? { nil }
}
