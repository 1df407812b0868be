/// What the inspector observes, with its events: a composer or a socket.
///
/// Methods that say so are called under the lock of the ``EventLog``, which protects the events.
class EventSource: @unchecked Sendable {
  // Immutable; subclasses name what protects their own properties.
  /// The number of the source among composers and sockets, from 1.
  final let number: Int
  /// The name in problems and logs.
  final let name: String

  init(number: Int, name: String) { (self.number, self.name) = (number, name) }

  /// Whether the source exists.
  var isLive: Bool { false }

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
}
