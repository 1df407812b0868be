#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// The events that have happened and are not in the log yet.
///
/// The program's threads append here, which takes a few instructions; whoever reads the log, or a thread in
/// the background, moves the events into the log.
final class EventInbox: Sendable {
  /// An event, and what its source notes of it.
  struct Entry: Sendable {
    var event: LoggedEvent
    let details: SocketDetails?
  }

  /// Who must move the events into the log.
  enum Demand {
    /// Nobody yet.
    case none
    /// A thread in the background.
    case inBackground
    /// The caller, because there are many.
    case atOnce
  }

  private struct Contents: Sendable {
    var entries: ContiguousArray<Entry?> = []
    /// The number of the next event.
    var nextNumber = 1
    var heldBytes = 0
    /// Sources that have entries and that the log may not keep.
    var keptSources: [EventSource] = []
    var isMovedInBackground = false
    var isClosed = false
  }

  private let contents = Locked(Contents())
  private let byteLimit: Int

  /// The entries from which on they are moved in the background.
  static let usualCount = 1_024

  /// - Parameter byteLimit: the estimated bytes from which on the thread that appends moves the events.
  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// Appends an event of `source`, and returns its number; 0 after the end.
  ///
  /// - Parameters:
  ///   - delivered: the number of the event that is delivered on the thread; nil for none.
  ///   - bytes: the bytes that the event keeps.
  ///   - keepsSource: whether the source may have ended; decided under the lock.
  func append(
    _ event: ProgramEvent, of source: EventSource, at time: Date, delivered: Int?, bytes: Int,
    details: SocketDetails?, keepsSource: @autoclosure () -> Bool
  ) -> (number: Int, demand: Demand) {
    contents.withLock { contents in
      if contents.isClosed { return (0, .none) }
      let number = contents.nextNumber
      contents.nextNumber += 1
      contents.heldBytes += bytes
      contents.entries.append(
        Entry(
          event: LoggedEvent(
            event, number: number, of: source, at: time, bytes: UInt32(clamping: bytes),
            delivered: delivered),
          details: details))
      // The entry does not count its reference: the log keeps a source that has not ended, and unlists it here.
      if keepsSource() { contents.keptSources.append(source) }
      if contents.heldBytes > byteLimit { return (number, .atOnce) }
      let isUsual =
        contents.entries.count < Self.usualCount && contents.heldBytes <= byteLimit / 4
      if isUsual || contents.isMovedInBackground { return (number, .none) }
      contents.isMovedInBackground = true
      return (number, .inBackground)
    }
  }

  /// Notes that the log lists a source no more; called under the log's lock.
  func unlist(_ source: EventSource) {
    contents.withLock { if !$0.entries.isEmpty { $0.keptSources.append(source) } }
  }

  /// Exchanges the entries for an empty buffer; returns the sources that the entries may need.
  func take(_ entries: inout ContiguousArray<Entry?>) -> [EventSource] {
    contents.withLock { contents in
      if contents.entries.isEmpty { return [] }
      swap(&contents.entries, &entries)
      contents.heldBytes = 0
      contents.isMovedInBackground = false
      var sources: [EventSource] = []
      swap(&contents.keptSources, &sources)
      return sources
    }
  }

  /// Ignores events to come.
  func close() { contents.withLock { $0.isClosed = true } }
}
