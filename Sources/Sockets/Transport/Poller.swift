#if os(Linux)
typealias Poller = EpollPoller
#elseif canImport(Darwin)
typealias Poller = KqueuePoller
#endif

/// What a descriptor is watched for.
struct Interest: OptionSet {
  let rawValue: UInt8

  static let readable = Interest(rawValue: 1)
  static let writable = Interest(rawValue: 2)

  /// Tell only when readiness changes: who is told must read or write until the call would block.
  static let edgeTriggered = Interest(rawValue: 4)
}

/// What a descriptor is ready for.
///
/// Always a hint: the call may still say that it would block.
package struct ReadyEvents: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let readable = ReadyEvents(rawValue: 1)
  package static let writable = ReadyEvents(rawValue: 2)

  /// The peer will send no more.
  package static let peerEnded = ReadyEvents(rawValue: 4)

  /// An error is pending, or both directions are gone.
  package static let failed = ReadyEvents(rawValue: 8)

  /// The peer has marked a byte as urgent, at which a read stops though more bytes follow.
  ///
  /// On Linux only.
  static let urgent = ReadyEvents(rawValue: 16)
}

/// Who is told about a descriptor, on the loop.
package protocol EventHandler: AnyObject {
  func ready(_ events: ReadyEvents)

  /// The loop is going away: close the descriptor, there will be no further call.
  func loopStopped()
}
