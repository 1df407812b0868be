#if TRACE_RESOURCES
import Synchronization

/// Counts what is alive, to find what is kept by mistake: each observable counts, and each thing that a
/// subscription or a bag is or holds.
///
/// Only in a build with `-Xswiftc -DTRACE_RESOURCES`; without it nothing is counted. What a feature has used
/// is released when `total` is again what it was before:
///
/// ```swift
/// let before = Resources.total
/// openAndCloseTheScreen()
/// assert(Resources.total == before)
/// ```
public enum Resources {
  // By its full name: where tests decide the order of atomics, this is none of them.
  private static let count = Synchronization.Atomic<Int32>(0)

  /// How many are alive.
  public static var total: Int32 { count.load(ordering: .relaxed) }

  /// Counts one more, for a type of one's own, and returns what `total` was before.
  @discardableResult public static func incrementTotal() -> Int32 {
    count.add(1, ordering: .relaxed).oldValue
  }

  /// Counts one less, and returns what `total` was before.
  @discardableResult public static func decrementTotal() -> Int32 {
    count.subtract(1, ordering: .relaxed).oldValue
  }
}
#endif
