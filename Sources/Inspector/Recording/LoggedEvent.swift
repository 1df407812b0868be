#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event as the log keeps it.
struct LoggedEvent: Sendable {
  // Not counted, which would take as long as the rest: the log keeps a source as long as it has events.
  let reference: Unmanaged<EventSource>
  let time: Date
  private(set) var event: ProgramEvent
  let bytes: UInt32
  /// How many events before this one the source's last one is; 0 for none.
  private var distanceToPrevious: UInt32 = 0
  /// How many events before this one the delivered one is; 0 for none.
  private let distanceToDelivered: UInt32
  // Read without the event, which is often in the cache of another processor.
  let kind: EventFilter.Kind
  /// Where a step comes from; nil for another event.
  let stepSource: EventFilter.Source?

  /// - Parameters:
  ///   - number: the number of this event.
  ///   - delivered: the number of the event that is delivered on the thread; nil for none.
  init(
    _ event: ProgramEvent, number: Int, of source: EventSource, at time: Date, bytes: UInt32,
    delivered: Int?
  ) {
    reference = Unmanaged.passUnretained(source)
    (self.event, self.time, self.bytes) = (event, time, bytes)
    (kind, stepSource) = (event.kind, event.step?.source.kind)
    // More events than fit into the memory.
    distanceToDelivered = delivered.flatMap { UInt32(exactly: number - $0) } ?? 0
  }

  /// Completes the event, and refers to the last one of its source.
  mutating func complete(_ number: Int, after source: EventSource) {
    if kind == .ended { event = source.completed(event) }
    let previous = source.lastEvent
    distanceToPrevious = previous == 0 ? 0 : UInt32(exactly: number - previous) ?? 0
  }

  var source: EventSource { reference.takeUnretainedValue() }

  /// The number of the source's last event before this one with a number, which may be dropped; nil for
  /// none.
  func previous(_ number: Int) -> Int? {
    distanceToPrevious == 0 ? nil : number - Int(distanceToPrevious)
  }

  /// What does not depend on the types of a composer, of the event with this number.
  func head(_ number: Int) -> EventHead {
    EventHead(
      number: number, source: source.number, time: time, kind: .init(event),
      deliveredEvent: distanceToDelivered == 0 ? nil : number - Int(distanceToDelivered))
  }
}
