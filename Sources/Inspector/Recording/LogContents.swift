#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the lock of the ``EventLog`` protects.
struct LogContents: Sendable {
  private let queue = BlockQueue<LoggedEvent>()
  /// The batch that the inbox has next.
  private var moved = EventInbox.Batch()
  private var first = 1
  private(set) var heldBytes = 0
  private(set) var sources: [Int: EventSource] = [:]
  var lastSource = 0
  /// The number of sources from which on those that have ended are looked for.
  var sweepCount = 100
  var isClosed = false

  /// The numbers of the events that are kept.
  var events: Range<Int> { first..<first + queue.count }

  /// An event that is kept.
  subscript(number: Int) -> LoggedEvent { _read { yield queue[number - first] } }

  // MARK: Changing

  /// Moves the events of the inbox here.
  mutating func moveAll(from inbox: EventInbox, _ released: inout ReleasedEvents) {
    inbox.take(&moved)
    if moved.isEmpty { return }
    for place in moved.events.indices {
      guard let event = moved.events[place].take() else { continue }
      let details = moved.details.first?.place == place ? moved.details.popFirst()?.1 : nil
      append(event, details)
    }
    released.sources += moved.keptSources
    moved.removeAll()
  }

  private mutating func append(_ event: consuming LoggedEvent, _ details: SocketDetails?) {
    let number = first + queue.count
    heldBytes += Int(event.bytes)
    event.reference._withUnsafeGuaranteedRef { source in
      // One that had ended, and has an event more: an effect may outlive its composer.
      if !source.isListed { list(source) }
      event.complete(number, after: source)
      source.note(event, number, details, endedEffectLimit: endedEffectLimit)
      source.noteLast(number)
    }
    queue.append(event)
  }

  /// The most ended effects of each composer that are kept: 1,000, fewer when there are many composers.
  private var endedEffectLimit: Int { max(20, 20_000 / max(20, sources.count)) }

  /// Keeps a source, until it has ended and has no events.
  mutating func list(_ source: EventSource) {
    if isClosed { return }
    source.isListed = true
    sources[source.number] = source
  }

  /// Releases a source that has no events.
  mutating func unlist(_ source: EventSource, _ inbox: EventInbox) {
    inbox.unlist(source)
    source.isListed = false
    sources[source.number] = nil
  }

  /// Drops the oldest event, which the caller releases outside the lock.
  mutating func dropFirst(_ released: inout ReleasedEvents) {
    guard let event = queue.popFirst() else { return }
    event.reference._withUnsafeGuaranteedRef { source in
      if source.marks.first == first { _ = source.marks.popFirst() }
      source.drop(event.event, &released)
    }
    first += 1
    heldBytes -= Int(event.bytes)
  }

  /// Drops the oldest events until those that are kept have at most `bytes`, or one is kept.
  mutating func drop(to bytes: Int, _ released: inout ReleasedEvents) {
    while heldBytes > bytes, queue.count > 1 { dropFirst(&released) }
  }

  /// Drops all events, and the sources with what they keep, which the caller releases outside the lock.
  mutating func dropAll(_ released: inout ReleasedEvents) {
    while !events.isEmpty { dropFirst(&released) }
    for source in sources.values { source.dropFirstState(&released) }
    released.sources += sources.values
    sources = [:]
  }

  // MARK: Reading one source

  /// The number of the last event of a source at this number or before it; nil when none is kept.
  func lastEvent(of source: EventSource, at number: Int) -> Int? {
    let mark = source.marks.firstOffset { source.marks[$0] >= number }
    let start = mark < source.marks.count ? source.marks[mark] : source.lastEvent
    return events(of: source, backFrom: start).first { $0 <= number }
  }

  /// The numbers of the events of a source, from one of them back to the first that is kept.
  private func events(of source: EventSource, backFrom last: Int) -> some Sequence<Int> {
    sequence(state: Optional(last)) { next -> Int? in
      guard let number = next, number >= first else { return nil }
      next = self[number].previous(number)
      return number
    }
  }

  /// The last step at this number or before it; nil when none is kept.
  func lastStep(of source: EventSource, at number: Int) -> (event: Int, step: RecordedStep)? {
    guard let last = lastEvent(of: source, at: number) else { return nil }
    for number in events(of: source, backFrom: last) {
      if let step = self[number].event.step { return (number, step) }
    }
    return nil
  }

  /// The number of the event of a step of a composer; nil when it is dropped.
  func event(ofStep step: Int, of source: EventSource) -> Int? {
    func stepNumber(at number: Int) -> Int { lastStep(of: source, at: number)?.step.number ?? 0 }
    let mark = source.marks.firstOffset { stepNumber(at: source.marks[$0]) >= step }
    let start = mark < source.marks.count ? source.marks[mark] : source.lastEvent
    for number in events(of: source, backFrom: start) {
      guard let found = self[number].event.step else { continue }
      if found.number <= step { return found.number == step ? number : nil }
    }
    return nil
  }

  /// The numbers of the events of a source in a range.
  func events(of source: EventSource, in range: ClosedRange<Int>) -> [Int] {
    guard let last = lastEvent(of: source, at: range.upperBound) else { return [] }
    return events(of: source, backFrom: last).prefix { $0 >= range.lowerBound }.reversed()
  }

  /// The last step at this number or before it, and the state after it.
  ///
  /// Event 0 stands for the state before the first event that is kept.
  func state(of composer: ComposerRecord, at number: Int) -> (event: Int, state: any Sendable)? {
    if let last = lastStep(of: composer, at: number) { return (last.event, last.step.state) }
    return composer.firstState.map { (0, $0) }
  }

  // MARK: Reading all

  /// The event with this number, and the state before it; nil when it is dropped or has not happened.
  func event(_ number: Int) -> (event: LoggedEvent, source: EventSource, before: (any Sendable)?)? {
    guard events.contains(number) else { return nil }
    let event = self[number]
    let before = (event.source as? ComposerRecord).flatMap { state(of: $0, at: number - 1)?.state }
    return (event, event.source, before)
  }
}

extension Fifo {
  /// The first offset for which `isAfter` returns true, as it does for all later ones.
  func firstOffset(where isAfter: (_ offset: Int) -> Bool) -> Int {
    var range = 0..<count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = isAfter(middle) ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
    }
    return range.lowerBound
  }
}
