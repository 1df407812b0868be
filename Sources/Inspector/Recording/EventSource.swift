/// What the inspector observes: a composer or a socket, whose events are in the ``EventLog``.
class EventSource: @unchecked Sendable {
  /// The number of the source among composers and sockets, from 1.
  final let number: Int
  /// The name in problems and logs.
  final let name: String

  // The following are protected by the lock of the log; subclasses name what protects theirs.
  /// Whether the log keeps the source, as it does while the source is live or has events.
  @exclusivity(unchecked) final var isListed = false
  /// The number of the last event; 0 for none.
  @exclusivity(unchecked) final var lastEvent = 0
  /// The numbers of some of the events that are kept, in their order: each 64th.
  @exclusivity(unchecked) final var marks = Fifo<Int>()
  /// The number of events since the last mark.
  @exclusivity(unchecked) private final var unmarkedCount = 0
  private static let markDistance = 64

  init(number: Int, name: String) { (self.number, self.name) = (number, name) }

  /// Whether the source exists.
  var isLive: Bool { false }

  /// Ends the observation.
  func stop() {}

  /// Gives an event what is known of it by earlier ones; called under the lock.
  func completed(_ event: ProgramEvent) -> ProgramEvent { event }

  /// Notes an event with this number; called under the lock.
  ///
  /// - Parameters:
  ///   - details: what was known of a socket when it happened.
  ///   - endedEffectLimit: the most effects that have ended and are kept.
  func note(
    _ event: LoggedEvent, _ number: Int, _ details: SocketDetails?, endedEffectLimit: Int
  ) {}

  /// Notes the number of the last event; called under the lock.
  final func noteLast(_ number: Int) {
    lastEvent = number
    unmarkedCount += 1
    if unmarkedCount < Self.markDistance { return }
    marks.append(number)
    unmarkedCount = 0
  }

  /// Notes that an event is dropped, and adds what the caller must release outside the lock, because a
  /// `deinit` of the values is the program's code; called under the lock.
  func drop(_ event: ProgramEvent, _ released: inout ReleasedEvents) {
    released.events.append(event)
  }

  /// Adds what is kept besides the events; called under the lock.
  func dropFirstState(_ released: inout ReleasedEvents) {}
}

/// What was dropped, until it is released outside the lock.
struct ReleasedEvents: Sendable {
  var events: [ProgramEvent] = []
  var states: [any Sendable] = []
  var sources: [EventSource] = []
}
