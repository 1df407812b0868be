import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The events of all composers and sockets, in the order in which they happened, within a limit of bytes.
///
/// They are one queue: an event of one of a thousand composers is appended next to those of the others,
/// which is in the processor's cache. An event refers to the one before it of the same source.
///
/// The program's threads append to an inbox, so that they neither wait for who reads the log, nor count and
/// drop events.
final class EventLog: Sendable {
  private let inbox: EventInbox
  /// Changed and read by ``withContents(_:)`` only.
  private let contents = Locked(LogContents())
  private let byteLimit: Int
  private static let background = DispatchQueue(label: "Inspector.log", qos: .utility)

  /// - Parameter byteLimit: maximum of the estimated bytes; past it the oldest events are dropped.
  init(byteLimit: Int) {
    inbox = EventInbox(byteLimit: byteLimit / 16)
    self.byteLimit = byteLimit - byteLimit / 16
  }

  // MARK: Composers and sockets

  /// Adds the source that `make` creates with its number; a log that is closed does not keep it.
  func add<Source: EventSource>(_ make: (_ number: Int) -> Source) -> Source {
    let (number, mustSweep) = withContents { contents in
      contents.lastSource += 1
      return (contents.lastSource, contents.sources.count >= contents.sweepCount)
    }
    if mustSweep { removeEnded() }
    let source = make(number)
    withContents { $0.list(source) }
    return source
  }

  /// Removes the sources that have ended and have no events any more.
  private func removeEnded() {
    let ended = sources.filter { !$0.isLive }
    withContents { contents in
      for source in ended where source.lastEvent < contents.events.lowerBound {
        contents.unlist(source, inbox)
      }
      contents.sweepCount = contents.sources.count * 2 + 100
    }
  }

  /// Whether events are ignored.
  var isClosed: Bool { withContents { $0.isClosed } }

  /// All composers and sockets, in the order in which they joined.
  var sources: [EventSource] {
    withContents { Array($0.sources.values) }.sorted { $0.number < $1.number }
  }

  /// All composers, in the order in which they joined.
  var composers: [ComposerRecord] { sources.compactMap { $0 as? ComposerRecord } }

  /// The composer or the socket with this number; nil for an unknown one.
  func source(_ number: Int) -> EventSource? { withContents { $0.sources[number] } }

  /// The composer with this number; nil for an unknown one.
  func composer(_ number: Int) -> ComposerRecord? { source(number) as? ComposerRecord }

  // MARK: Recording

  /// The numbers of the events that are kept.
  var events: Range<Int> { withContents { $0.events } }

  /// The estimated bytes of the events that are kept.
  var heldBytes: Int { withContents { $0.heldBytes } }

  /// Appends an event of `source`, and returns its number; 0 when the log is closed.
  ///
  /// - Parameters:
  ///   - delivered: the number of the event that is delivered on the thread; nil for none.
  ///   - details: what the source notes of the event.
  ///   - keepsSource: whether the source may have ended.
  @discardableResult
  func append(
    _ event: ProgramEvent, of source: EventSource, at time: Date, delivered: Int? = nil, bytes: Int,
    details: SocketDetails? = nil, keepsSource: @autoclosure () -> Bool
  ) -> Int {
    let (number, demand) = inbox.append(
      event, of: source, at: time, delivered: delivered, bytes: bytes, details: details,
      keepsSource: keepsSource())
    switch demand {
    case .none: break
    case .inBackground: Self.background.async { self.withContents { _ in } }
    case .atOnce: withContents { _ in }
    }
    return number
  }

  /// Calls `body` under the lock, when all events that have happened are in the contents, and the oldest ones
  /// past the limit are dropped.
  private func withContents<Result>(_ body: (inout LogContents) -> Result) -> Result {
    withContents { contents, _ in body(&contents) }
  }

  /// The same with what is released after the lock.
  private func withContents<Result>(
    _ body: (inout LogContents, inout ReleasedEvents) -> Result
  ) -> Result {
    var released = ReleasedEvents()
    let result = contents.withLock { contents in
      contents.moveAll(from: inbox, &released)
      contents.drop(to: byteLimit, &released)
      return body(&contents, &released)
    }
    withExtendedLifetime(released) {}
    return result
  }

  /// Drops the oldest events until those that are kept have at most `bytes`, or one is kept.
  func drop(to bytes: Int) {
    withContents { $0.drop(to: bytes, &$1) }
  }

  /// Drops all events and sources, and ignores events to come.
  func close() {
    inbox.close()
    withContents { contents, released in
      contents.isClosed = true
      contents.dropAll(&released)
    }
  }

  // MARK: Reading

  /// Calls `body` under the lock, which protects the events and what the sources know of them.
  func withLock<Result>(_ body: (borrowing LogContents) -> Result) -> Result {
    withContents { body($0) }
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
      head: head, actions: step.actions.map { types.shown(action: $0) }, change: step.change,
      before: before.map { types.shown(state: $0) }, after: types.shown(state: step.state))
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
