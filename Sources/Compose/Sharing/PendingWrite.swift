/// A closure on this thread that makes the next value of a shared value, and the writes inside it.
///
/// A write inside it makes the closure's value one of an old value, as the write of another thread does.
/// Called again for the new one, the closure would write again, without end.
final class PendingWrite {
  private static let threadSlot = ThreadSlot()

  private let value: AnyObject
  /// The closure that has called this one.
  private let outer: UnsafeMutableRawPointer?
  private var nested: SharedValueWriter?

  private init(_ value: AnyObject, in outer: UnsafeMutableRawPointer?) {
    (self.value, self.outer) = (value, outer)
  }

  /// Calls a closure that makes a value of `value`, and returns the last writer inside it; nil for none.
  static func calling<Failure: Error>(
    for value: AnyObject, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> SharedValueWriter? {
    let write = PendingWrite(value, in: threadSlot.pointer)
    threadSlot.pointer = Unmanaged.passUnretained(write).toOpaque()
    defer { threadSlot.pointer = write.outer }
    try body()
    return write.nested
  }

  /// Notes a write of `value` on this thread.
  static func note(_ writer: SharedValueWriter, to value: AnyObject) {
    var pointer = threadSlot.pointer
    while let current = pointer {
      let write = Unmanaged<PendingWrite>.fromOpaque(current).takeUnretainedValue()
      if write.value === value { write.nested = writer }
      pointer = write.outer
    }
  }

  /// Reports that the write of `writer` replaces one that was made inside its closure.
  static func report(_ nested: SharedValueWriter, inside writer: SharedValueWriter) {
    ComposeHooks.reportAfterStep {
      .sharedWriteReplaced(nested: nested.name, writer: writer.name)
    }
  }
}
