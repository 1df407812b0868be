#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The streams that one client watches, and those of their events that it has not received.
final class StreamWatches: Sendable {
  private struct Event {
    let stream: Int
    let time: ContinuousClock.Instant
    let event: StreamEvent
  }

  private struct State {
    var subscriptions: [Int: any Disposable] = [:]
    var events: [Event] = []
    var skippedCount = 0
    var keeping: (any Disposable)?

    /// Keeps an event; an element only while there is room for one of its stream.
    mutating func receive(_ event: Event) {
      if case .next = event.event {
        let limit = StreamWatches.elementLimit
        let share = limit / max(1, subscriptions.count)
        let isFull =
          events.count >= limit
          || events.count >= share && events.count(where: { $0.stream == event.stream }) >= share
        if isFull {
          skippedCount += 1
          return
        }
      }
      events.append(event)
    }
  }

  private let state = Locked(State())

  /// The most streams that are watched at a time.
  static let limit = 32
  /// The most elements of a notification, which the watched streams share.
  static let elementLimit = 200

  deinit { stop() }

  /// Keeps the last element of each stream, until `releaseLastElements()` or `stop()`.
  func keepLastElements() {
    if state.withLock({ $0.keeping != nil }) { return }
    let keeping = Streams.keepLastElements()
    let replaced = state.withLock { state in
      defer { state.keeping = keeping }
      return state.keeping
    }
    replaced?.dispose()
  }

  func releaseLastElements() {
    state.withLock { state in
      defer { state.keeping = nil }
      return state.keeping
    }?
    .dispose()
  }

  /// Watches a stream from now on; without effect when it is watched already.
  func watch(_ stream: Int) throws(RPCError) {
    let (isWatched, count) = state.withLock { state in
      (state.subscriptions[stream] != nil, state.subscriptions.count)
    }
    if isWatched { return }
    guard count < Self.limit else {
      throw .invalidParams("\(Self.limit) streams are watched. Unwatch one of them.")
    }
    let subscription = Streams.watch(stream) { [weak self] time, event in
      self?.state.withLock { $0.receive(Event(stream: stream, time: time, event: event)) }
    }
    guard let subscription else { throw .unknown("stream", stream) }
    state.withLock { $0.subscriptions[stream] = subscription }
  }

  /// Ends the watch of a stream; without effect when it is not watched.
  func unwatch(_ stream: Int) {
    let (subscription, _) = state.withLock { state in
      let removed = state.events.filter { $0.stream == stream }
      state.events.removeAll { $0.stream == stream }
      // The elements are released without the lock.
      return (state.subscriptions.removeValue(forKey: stream), removed)
    }
    subscription?.dispose()
  }

  /// Ends all watches.
  func stop() {
    releaseLastElements()
    let old = state.withLock { state in
      defer { (state.subscriptions, state.events) = ([:], []) }
      return state
    }
    for subscription in old.subscriptions.values { subscription.dispose() }
  }

  /// Removes the events received since the last call; nil if there are none.
  ///
  /// - Parameters:
  ///   - reader: reader of the elements
  ///   - now: time by the clock of the notifications
  func takeMarbles(_ reader: StreamReader, at now: Date) -> MarbleList? {
    let (events, skippedCount) = state.withLock { state in
      defer { (state.events, state.skippedCount) = ([], 0) }
      return (state.events, state.skippedCount)
    }
    if events.isEmpty && skippedCount == 0 { return nil }
    let instant = ContinuousClock.now
    let marbles = events.map { event in
      let age = event.time.duration(to: instant) / .seconds(1)
      return reader.marble(
        event.event, of: event.stream, at: now.timeIntervalSince1970 - age)
    }
    for event in events {
      if case .next = event.event { continue }
      state.withLock { $0.subscriptions.removeValue(forKey: event.stream) }?.dispose()
    }
    return MarbleList(marbles: marbles, skipped: skippedCount)
  }
}
