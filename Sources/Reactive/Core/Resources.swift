#if TRACE_RESOURCES
import Synchronization

/// Counts live objects, to find leaks: observables, lifetimes and the resources that they hold.
///
/// It exists only in a build with `-Xswiftc -DTRACE_RESOURCES`. A feature has released its objects
/// when `total` has its earlier value again:
///
///
/// ```swift
/// let before = Resources.total
/// openAndCloseTheScreen()
/// assert(Resources.total == before)
/// ```
public enum Resources {
  // The full name, because test builds replace `Atomic` by a type that controls the order of
  // accesses.
  private static let count = Synchronization.Atomic<Int32>(0)

  /// The number of live objects.
  public static var total: Int32 { count.load(ordering: .relaxed) }

  /// Adds one, also for a type of the user, and returns the previous `total`.
  @discardableResult public static func incrementTotal() -> Int32 {
    count.add(1, ordering: .relaxed).oldValue
  }

  /// Subtracts one, and returns the previous `total`.
  @discardableResult public static func decrementTotal() -> Int32 {
    count.subtract(1, ordering: .relaxed).oldValue
  }
}
#endif
