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
  /// Events in their order, with what the log needs besides.
  struct Batch: Sendable {
    /// Each is nil when it was taken out: a copy would count its references.
    var events: ContiguousArray<LoggedEvent?> = []
    /// What sockets note of some of the events, with the places of those.
    var details: Fifo<(place: Int, SocketDetails)> = Fifo()
    /// Sources of events that the log may not keep.
    var keptSources: [EventSource] = []

    var isEmpty: Bool { events.isEmpty }

    /// Empties the batch, and keeps the memory of a usual one.
    mutating func removeAll() {
      events.removeAll(keepingCapacity: events.count <= 4 * EventInbox.usualCount)
      (details, keptSources) = (Fifo(), [])
    }
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
    var batch = Batch()
    /// The number of the next event.
    var nextNumber = 1
    var heldBytes = 0
    var isMovedInBackground = false
    var isClosed = false
  }

  private let contents = Locked(Contents())
  private let byteLimit: Int

  /// The number of events from which on they are moved in the background.
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
      if let details { contents.batch.details.append((contents.batch.events.count, details)) }
      contents.batch.events.append(
        LoggedEvent(
          event, number: number, of: source, at: time, bytes: UInt32(clamping: bytes),
          delivered: delivered))
      // The event does not count its reference: the log keeps a source that has not ended, and unlists it here.
      if keepsSource() { contents.batch.keptSources.append(source) }
      if contents.heldBytes > byteLimit { return (number, .atOnce) }
      let isUsual =
        contents.batch.events.count < Self.usualCount && contents.heldBytes <= byteLimit / 4
      if isUsual || contents.isMovedInBackground { return (number, .none) }
      contents.isMovedInBackground = true
      return (number, .inBackground)
    }
  }

  /// Notes that the log lists a source no more; called under the log's lock.
  func unlist(_ source: EventSource) {
    contents.withLock { if !$0.batch.isEmpty { $0.batch.keptSources.append(source) } }
  }

  /// Exchanges the events for an empty batch.
  func take(_ batch: inout Batch) {
    contents.withLock { contents in
      if contents.batch.isEmpty { return }
      swap(&contents.batch, &batch)
      contents.heldBytes = 0
      contents.isMovedInBackground = false
    }
  }

  /// Ignores events to come.
  func close() { contents.withLock { $0.isClosed = true } }
}
