#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A composer that the inspector observes; the subclass knows the types.
class ComposerRecord: EventSource, @unchecked Sendable {
  // `ledger`, `stepCount` and `rate` are protected by the lock of the log.
  /// The name of the composer's type, with its module and the types around it.
  final let qualifiedTypeName: String
  /// The composer and the event from whose state this one was forked; nil for one of the program.
  final let forkedFrom = Locked<(composer: Int, event: Int)?>(nil)
  /// The effects that run, and the last ones that have ended.
  final var ledger = EffectLedger()
  /// The number of all steps, including those that were dropped.
  final var stepCount = 0
  private final var rate: StepRate

  init(number: Int, name: String, typeName: String, at now: Date) {
    qualifiedTypeName = typeName
    rate = StepRate(at: now)
    super.init(number: number, name: name)
  }

  /// The name of the composer's type.
  final var typeName: String { String(qualifiedTypeName.split(separator: ".").last ?? "") }

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

  // MARK: Recordings

  /// The events in this range as a timeline, beginning with the state before them.
  ///
  /// - Parameter stepsOnly: whether the events of effects are left out.
  func recording(
    _ range: ClosedRange<Int>, stepsOnly: Bool
  ) throws(RecordingError) -> any RecordedTimeline {
    throw .notCodable(composer: name)
  }

  /// Checks that `json` is a state.
  func checkState(_ json: AnyJSON) throws(RecordingError) {}

  /// Whether the state and the actions are `Codable`.
  var canExport: Bool { false }

  /// Whether the composer can be forked.
  var canFork: Bool { false }

  /// Creates a composer that begins with the state after an event; nil when it cannot be forked.
  func fork(at event: Int) -> Fork? { nil }

  // MARK: Events

  /// The number of the event of a step; nil when it is dropped; called under the lock.
  func event(ofStep step: Int) -> Int? { nil }

  /// The last step at this event or before it, and the state after it; called under the lock.
  ///
  /// Event 0 stands for the state before the first event that is kept.
  func state(at event: Int) -> (event: Int, state: any Sendable)? { nil }
}
