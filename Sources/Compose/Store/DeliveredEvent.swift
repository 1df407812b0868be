/// An event that a tool delivers to the program on the current thread, such as a received message: the
/// cause of the actions that are sent meanwhile.
///
/// An action that waits for its turn keeps it, so that its step has the cause, on any thread.
@usableFromInline package final class DeliveredEvent: Sendable {
  private let log: ObjectIdentifier
  private let number: Int
  /// The event in whose delivery this one is delivered; nil for none.
  private let outer: DeliveredEvent?

  // The event is retained by the caller that has set it.
  private static let threadSlot = ThreadSlot()

  private init(_ log: AnyObject, _ number: Int, _ outer: DeliveredEvent?) {
    (self.log, self.number, self.outer) = (ObjectIdentifier(log), number, outer)
  }

  /// The event of the current thread; nil for none.
  @usableFromInline package static var current: DeliveredEvent? {
    threadSlot.pointer.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// The number of the event of `log` that is delivered on the current thread; nil for none.
  package static func number(in log: AnyObject) -> Int? {
    var next = current
    while let event = next {
      if event.log == ObjectIdentifier(log) { return event.number }
      next = event.outer
    }
    return nil
  }

  /// Calls `body`, which delivers the event of `log` with this number.
  package static func delivering(_ number: Int, of log: AnyObject, _ body: () -> Void) {
    let event = DeliveredEvent(log, number, current)
    let outer = begin(event)
    body()
    end(event, restoring: outer)
  }

  /// Calls `body`, which continues with the delivery of this event, in a later turn or on another thread.
  package func resume(_ body: () -> Void) {
    let outer = Self.begin(self)
    body()
    Self.end(self, restoring: outer)
  }

  /// Makes `event` that of the current thread, nil for none, until ``end(_:restoring:)``; returns what
  /// that call restores.
  @usableFromInline static func begin(_ event: DeliveredEvent?) -> UnsafeMutableRawPointer? {
    let outer = threadSlot.pointer
    threadSlot.pointer = event.map { Unmanaged.passUnretained($0).toOpaque() }
    return outer
  }

  /// Ends the delivery of `event`, which the caller has retained until now.
  @usableFromInline static func end(
    _ event: DeliveredEvent?, restoring outer: UnsafeMutableRawPointer?
  ) {
    withExtendedLifetime(event) { threadSlot.pointer = outer }
  }
}
