#if os(Linux)
typealias Poller = EpollPoller
#elseif canImport(Darwin)
typealias Poller = KqueuePoller
#endif

/// The readiness that a descriptor is watched for.
struct Interest: OptionSet {
  let rawValue: UInt8

  static let readable = Interest(rawValue: 1)
  static let writable = Interest(rawValue: 2)

  /// Report changes only: the handler must read or write until the call would block.
  static let edgeTriggered = Interest(rawValue: 4)
}

/// The readiness of a descriptor.
///
/// It is a hint: the system call may still report that it would block.
package struct ReadyEvents: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let readable = ReadyEvents(rawValue: 1)
  package static let writable = ReadyEvents(rawValue: 2)

  /// The peer has sent its last byte.
  package static let peerEnded = ReadyEvents(rawValue: 4)

  /// An error is pending, or both directions have ended.
  package static let failed = ReadyEvents(rawValue: 8)

  /// The peer has marked a byte as urgent: a read stops there although more bytes follow.
  ///
  /// Reported on Linux only.
  static let urgent = ReadyEvents(rawValue: 16)
}

/// Receives the events of a descriptor, on the loop.
package protocol EventHandler: AnyObject {
  func ready(_ events: ReadyEvents)

  /// Called when the loop stops, as the last call: close the descriptor.
  func loopStopped()
}
