/// The event that is delivered on the current thread: a received message, which causes the actions that
/// are reduced meanwhile.
struct DeliveredEvent {
  private struct Frame {
    let log: ObjectIdentifier
    let number: Int
    let outer: UnsafeMutableRawPointer?
  }

  private static let threadSlot = ThreadSlot()

  /// The number of the event of this log; nil for none.
  static func current(in log: EventLog) -> Int? {
    var pointer = threadSlot.pointer
    while let current = pointer {
      // The frame is on the stack of this thread, in `delivering`.
      let frame = current.assumingMemoryBound(to: Frame.self).pointee
      if frame.log == ObjectIdentifier(log) { return frame.number }
      pointer = frame.outer
    }
    return nil
  }

  /// Calls `body`, which delivers the event with this number.
  static func delivering(_ number: Int, of log: EventLog, _ body: () -> Void) {
    var frame = Frame(log: ObjectIdentifier(log), number: number, outer: threadSlot.pointer)
    withUnsafeMutablePointer(to: &frame) { threadSlot.holding(UnsafeMutableRawPointer($0), body) }
  }
}
