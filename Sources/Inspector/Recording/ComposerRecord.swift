#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A composer that the inspector observes, and its events.
///
/// The subclass knows the types. Methods that say so are called under the lock of the ``EventLog``.
class ComposerRecord: @unchecked Sendable {
  // `ledger` and `counts` are protected by the lock of the log; the rest is immutable.
  /// The number of the composer, from 1.
  final let number: Int
  /// The name in problems and logs.
  final let name: String
  /// The name of the composer's type.
  final let typeName: String
  /// The effects that run, and the last ones that have ended.
  final var ledger = EffectLedger()
  /// The number of all steps, including those that were dropped.
  final var stepCount = 0

  init(number: Int, name: String, typeName: String) {
    (self.number, self.name, self.typeName) = (number, name, typeName)
  }

  /// Whether the composer exists.
  var isLive: Bool { false }

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

  /// Ends the recording.
  func stop() {}

  // MARK: Events

  /// Whether no event is kept; called under the lock.
  var isEmpty: Bool { true }

  /// The event with this number; called under the lock.
  func event(_ number: Int) -> RecordedEvent? { nil }

  /// The head of the event with this number; called under the lock.
  func head(_ number: Int) -> EventHead? { nil }

  /// Removes the first event, which ``takeDropped(_:)`` releases; called under the lock.
  func dropFirst() {}

  /// Releases the removed events outside the lock.
  func takeDropped(_ locked: (_ take: () -> Void) -> Void) {}

  /// The number of the event of a step; nil when it is dropped; called under the lock.
  func event(ofStep step: Int) -> Int? { nil }

  /// The last step at this event or before it, and the state after it; called under the lock.
  ///
  /// Event 0 stands for the state before the first event that is kept.
  func state(at event: Int) -> (event: Int, state: any Sendable)? { nil }

  /// Calls `body` with the heads of the events from this number on, until it returns false; called
  /// under the lock.
  func forEachHead(from event: Int, _ body: (EventHead) -> Bool) {}
}
