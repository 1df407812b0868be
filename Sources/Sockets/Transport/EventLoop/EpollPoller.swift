#if os(Linux)
import CReactiveSystem
import Glibc

/// The ``Poller`` of Linux: one epoll descriptor, and an eventfd that wakes it.
///
/// It is not built with Musl.
final class EpollPoller: @unchecked Sendable {
  // Only the one thread that waits touches `events`; the descriptors never change.
  private let epoll: Int32
  private let wakeDescriptor: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private static let capacity = 256
  private static let wakeToken: UInt64 = 0

  /// - Throws: `TransportError.system` when the process is out of descriptors or memory.
  init() throws(TransportError) {
    epoll = csystem_epoll_create()
    guard epoll >= 0 else { throw .last("epoll_create") }
    wakeDescriptor = csystem_eventfd_create()
    guard wakeDescriptor >= 0 else {
      let error = TransportError.last("eventfd")
      Glibc.close(epoll)
      throw error
    }
    events = .allocate(capacity: Self.capacity)
    // Edge-triggered: each wake-up is one event, and the counter need not be read.
    let bits = csystem_epoll_in | csystem_epoll_edge
    guard csystem_epoll_add(epoll, wakeDescriptor, bits, Self.wakeToken) == 0 else {
      // All properties are set: `deinit` closes both descriptors.
      throw .last("epoll_ctl")
    }
  }

  deinit {
    events.deallocate()
    Glibc.close(wakeDescriptor)
    Glibc.close(epoll)
  }

  /// Watches a descriptor and reports its events with `token`, which is never 0.
  ///
  /// Called on the thread of the loop, as `remove` and `wait` are.
  func add(_ descriptor: Int32, _ interest: Interest, token: UInt64) throws(TransportError) {
    guard csystem_epoll_add(epoll, descriptor, Self.epollMask(interest), token) == 0 else {
      throw .last("epoll_ctl")
    }
  }

  /// Stops watching; call it before the descriptor is closed, because its number is reused.
  func remove(_ descriptor: Int32) {
    _ = csystem_epoll_remove(epoll, descriptor)
  }

  /// Waits for events, for `wake()` or for a time in nanoseconds (nil for no limit), and calls
  /// `report` for each ready descriptor.
  ///
  /// The time is rounded up to whole milliseconds. It may return early without an event.
  func wait(nanoseconds: UInt64?, _ report: (_ token: UInt64, _ events: ReadyEvents) -> Void) {
    let count = csystem_epoll_wait(
      epoll,
      events,
      Int32(Self.capacity),
      Self.milliseconds(nanoseconds)
    )
    // 0 after the time; -1 when a signal interrupted the wait (EINTR), the only possible error.
    guard count > 0 else { return }
    for index in 0..<Int(count) {
      let event = events + index
      let token = csystem_epoll_token(event)
      if token != Self.wakeToken { report(token, Self.readyEvents(csystem_epoll_events(event))) }
    }
  }

  /// Ends the current or next `wait`; call it from any thread.
  func wake() {
    // It fails only when the counter is full, after 2^64 signals.
    _ = csystem_eventfd_signal(wakeDescriptor)
  }

  private static func milliseconds(_ nanoseconds: UInt64?) -> Int32 {
    guard let nanoseconds else { return -1 }
    let rounded = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)
    return Int32(clamping: rounded)
  }

  private static func epollMask(_ interest: Interest) -> UInt32 {
    var mask: UInt32 = 0
    if interest.contains(.readable) {
      // EPOLLIN, EPOLLPRI, EPOLLRDHUP
      mask |= csystem_epoll_in | csystem_epoll_urgent | csystem_epoll_peer_ended
    }
    if interest.contains(.writable) { mask |= csystem_epoll_out }
    if interest.contains(.edgeTriggered) { mask |= csystem_epoll_edge }
    return mask
  }

  private static func readyEvents(_ mask: UInt32) -> ReadyEvents {
    var events: ReadyEvents = []
    if mask & csystem_epoll_in != 0 { events.insert(.readable) }
    if mask & csystem_epoll_out != 0 { events.insert(.writable) }
    if mask & csystem_epoll_peer_ended != 0 { events.insert(.peerEnded) }
    if mask & csystem_epoll_urgent != 0 { events.insert(.urgent) }
    if mask & (csystem_epoll_error | csystem_epoll_hangup) != 0 { events.insert(.failed) }
    return events
  }
}
#endif
