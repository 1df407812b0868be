#if canImport(Darwin)
import Darwin

/// The poller of Apple platforms: the same functions as `EpollPoller`, on kqueue.
///
/// Untested: no such machine was available.
final class KqueuePoller: @unchecked Sendable {
  // Only the one thread that waits touches `events`; the descriptor never changes.
  private let queue: Int32
  private let events: UnsafeMutablePointer<kevent64_s>
  private static let capacity = 256
  private static let wakeToken: UInt64 = 0

  /// - Throws: `TransportError.system` when the process is out of descriptors or memory.
  init() throws(TransportError) {
    queue = kqueue()
    guard queue >= 0 else { throw .last("kqueue") }
    events = .allocate(capacity: Self.capacity)
    guard change(0, EVFILT_USER, EV_ADD | EV_CLEAR, token: Self.wakeToken) else {
      throw .last("kevent64")
    }
  }

  deinit {
    events.deallocate()
    Darwin.close(queue)
  }

  /// Watches a descriptor and reports its events with `token`, which is never 0.
  func add(_ descriptor: Int32, _ interest: Interest, token: UInt64) throws(TransportError) {
    let flags = interest.contains(.edgeTriggered) ? EV_ADD | EV_CLEAR : EV_ADD
    for (filter, wanted) in [(EVFILT_READ, Interest.readable), (EVFILT_WRITE, .writable)]
    where interest.contains(wanted) {
      guard change(descriptor, filter, flags, token: token) else { throw .last("kevent64") }
    }
  }

  /// Stops watching; call it before the descriptor is closed, because its number is reused.
  func remove(_ descriptor: Int32) {
    _ = change(descriptor, EVFILT_READ, EV_DELETE, token: 0)
    _ = change(descriptor, EVFILT_WRITE, EV_DELETE, token: 0)
  }

  /// Waits for events, for `wake()` or for a time in nanoseconds (nil for no limit), and reports.
  ///
  /// It may return early without an event.
  func wait(nanoseconds: UInt64?, _ report: (_ token: UInt64, _ events: ReadyEvents) -> Void) {
    // The kernel rejects times that do not fit its clock. One day is as good as any longer time.
    let limit = min(nanoseconds ?? 0, 86_400_000_000_000)
    var time = timespec(
      tv_sec: Int(limit / 1_000_000_000),
      tv_nsec: Int(limit % 1_000_000_000)
    )
    let count = withUnsafePointer(to: &time) {
      kevent64(queue, nil, 0, events, Int32(Self.capacity), 0, nanoseconds == nil ? nil : $0)
    }
    guard count > 0 else { return }
    for event in UnsafeBufferPointer(start: events, count: Int(count))
    where event.udata != Self.wakeToken {
      report(event.udata, Self.ready(event))
    }
  }

  /// Ends the current or next `wait`; call it from any thread.
  func wake() {
    var event = kevent64_s()
    event.filter = Int16(EVFILT_USER)
    event.fflags = UInt32(NOTE_TRIGGER)
    _ = kevent64(queue, &event, 1, nil, 0, 0, nil)
  }

  private func change(
    _ descriptor: Int32,
    _ filter: Int32,
    _ flags: Int32,
    token: UInt64
  ) -> Bool {
    var event = kevent64_s()
    event.ident = UInt64(descriptor)
    event.filter = Int16(filter)
    event.flags = UInt16(flags)
    event.udata = token
    return kevent64(queue, &event, 1, nil, 0, 0, nil) == 0
  }

  private static func ready(_ event: kevent64_s) -> ReadyEvents {
    let isAtEnd = Int32(event.flags) & EV_EOF != 0
    let hasError = Int32(event.flags) & EV_ERROR != 0 || (isAtEnd && event.fflags != 0)
    var events: ReadyEvents = hasError ? .failed : []
    if Int32(event.filter) == EVFILT_READ {
      events.insert(.readable)
      if isAtEnd { events.insert(.peerEnded) }
    } else {
      events.insert(.writable)
      if isAtEnd { events.insert(.failed) }
    }
    return events
  }
}
#endif
