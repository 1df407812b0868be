#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// The events of all composers and sockets, in the order in which they happened, within a limit of bytes.
///
/// They are one queue: an event of one of a thousand composers is appended next to those of the others,
/// which is in the processor's cache. An event refers to the one before it of the same source.
final class EventLog: Sendable {
  private let contents = Locked(LogContents())
  private let sourceCount = Atomic(0)
  private let byteLimit: Int

  /// - Parameter byteLimit: maximum of the estimated bytes; past it the oldest events are dropped.
  init(byteLimit: Int) { self.byteLimit = byteLimit }

  // MARK: Composers and sockets

  /// Adds the source that `make` creates with its number; a log that is closed does not keep it.
  func add<Source: EventSource>(_ make: (_ number: Int) -> Source) -> Source {
    let (number, mustSweep) = contents.withLock { contents in
      contents.lastSource += 1
      return (contents.lastSource, contents.sources.count >= contents.sweepCount)
    }
    if mustSweep { removeEnded() }
    let source = make(number)
    let count = contents.withLock { contents in
      contents.list(source)
      return contents.sources.count
    }
    sourceCount.store(count, ordering: .relaxed)
    return source
  }

  /// Removes the sources that have ended and have no events any more.
  private func removeEnded() {
    let ended = sources.filter { !$0.isLive }
    contents.withLock { contents in
      for source in ended where source.lastEvent < contents.events.lowerBound {
        contents.unlist(source)
      }
      contents.sweepCount = contents.sources.count * 2 + 100
    }
  }

  /// Whether events are ignored.
  var isClosed: Bool { contents.withLock(\.isClosed) }

  /// All composers and sockets, in the order in which they joined.
  var sources: [EventSource] {
    contents.withLock { Array($0.sources.values) }.sorted { $0.number < $1.number }
  }

  /// All composers, in the order in which they joined.
  var composers: [ComposerRecord] { sources.compactMap { $0 as? ComposerRecord } }

  /// The composer or the socket with this number; nil for an unknown one.
  func source(_ number: Int) -> EventSource? { contents.withLock { $0.sources[number] } }

  /// The composer with this number; nil for an unknown one.
  func composer(_ number: Int) -> ComposerRecord? { source(number) as? ComposerRecord }

  /// The most ended effects of each composer that are kept: 1,000, fewer when there are many composers.
  var endedEffectLimit: Int {
    max(20, 20_000 / max(20, sourceCount.load(ordering: .relaxed)))
  }

  // MARK: Recording

  /// The numbers of the events that are kept.
  var events: Range<Int> { contents.withLock { $0.events } }

  /// The estimated bytes of the events that are kept.
  var heldBytes: Int { contents.withLock { $0.heldBytes } }

  /// Appends an event of `source`, and drops the oldest ones past the limit.
  ///
  /// - Parameter delivered: the number of the event that is delivered on the thread; nil for none.
  /// - Parameter note: called with the number of the event, under the lock.
  func append(
    _ event: ProgramEvent, of source: EventSource, at time: Date, delivered: Int? = nil, bytes: Int,
    _ note: (_ number: Int) -> Void
  ) {
    let isFull = contents.withLock { contents in
      if contents.isClosed { return false }
      note(
        contents.append(
          event, of: source, at: time, delivered: delivered, bytes: UInt32(clamping: bytes)))
      return contents.heldBytes > byteLimit
    }
    // Several at once, because each time takes the lock; few, because the composer waits.
    if isFull { drop(to: byteLimit - byteLimit / 256) }
  }

  /// Drops the oldest events until those that are kept have at most `bytes`, or one is kept.
  func drop(to bytes: Int) {
    var released = ReleasedEvents()
    contents.withLock { contents in
      while contents.heldBytes > bytes, contents.events.count > 1 {
        contents.dropFirst(&released)
      }
    }
    withExtendedLifetime(released) {}
  }

  /// Drops all events and sources, and ignores events to come.
  func close() {
    var released = ReleasedEvents()
    contents.withLock { contents in
      contents.isClosed = true
      contents.dropAll(&released)
    }
    withExtendedLifetime(released) {}
  }

  // MARK: Reading

  /// Calls `body` under the lock, which protects the events and what the sources know of them.
  func withLock<Result>(_ body: (borrowing LogContents) -> Result) -> Result {
    contents.withLock { body($0) }
  }

  /// The event with this number; nil when it is dropped or has not happened.
  func event(_ number: Int) -> RecordedEvent? {
    guard let (event, source, before) = withLock({ $0.event(number) }) else { return nil }
    let head = event.head(number)
    guard let step = event.event.step, let types = (source as? ComposerRecord)?.types else {
      return RecordedEvent(head: head, actions: [], change: nil, before: nil, after: nil)
    }
    // Without the lock, because the values may be large.
    return RecordedEvent(
      head: head, actions: step.actions.map { types.shown($0) }, change: step.change,
      before: before.map { types.shown($0) }, after: types.shown(step.state))
  }

  /// Calls `body` with the heads of the events in `range` that are kept, under the lock; `body` must be
  /// short.
  func forEachHead(in range: Range<Int>, _ body: (EventHead) -> Void) {
    withLock { log in
      for number in range.clamped(to: log.events) { body(log[number].head(number)) }
    }
  }

  /// The events in `range` that are kept and that match `filter`, but for its text.
  func events(in range: Range<Int>, matching filter: EventFilter) -> [Int] {
    withLock { log in
      range.clamped(to: log.events).filter { filter.matches(log[$0]) }
    }
  }
}
