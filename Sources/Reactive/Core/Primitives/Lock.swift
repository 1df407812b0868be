import Synchronization

#if TSAN && !EXPLORED
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif
#endif

/// The one lock type of the package.
///
/// It is not recursive. It is held for a few instructions, and never while a closure of the user,
/// an observer or `dispose()` runs. It is `Synchronization`'s mutex. ThreadSanitizer does not see
/// that mutex on Linux, so a build with `-Xswiftc -DTSAN` uses a pthread mutex instead.
@frozen @usableFromInline package struct Lock: ~Copyable, Sendable {
  #if TSAN && !EXPLORED
  // A pthread mutex must not move while it exists; it is thread-safe by design.
  private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline package init() {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @usableFromInline package func lock() { pthread_mutex_lock(mutex) }

  @usableFromInline package func unlock() { pthread_mutex_unlock(mutex) }
  #else
  @usableFromInline let mutex = Mutex<Void>(())

  @inlinable package init() {}

  @inlinable package func lock() { mutex._unsafeLock() }

  @inlinable package func unlock() { mutex._unsafeUnlock() }
  #endif

  /// Runs `body` with the lock held.
  ///
  /// The result need not be Sendable; the standard mutex requires that.
  @inlinable package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    lock()
    defer { unlock() }
    return try body()
  }
}

/// A value and the lock that protects it.
@usableFromInline package final class Locked<Value>: @unchecked Sendable {
  // Protected by `gate`; every access goes through `withLock`.
  @exclusivity(unchecked) @usableFromInline var value: Value
  @usableFromInline let gate = Lock()

  @inlinable package init(_ value: Value) { self.value = value }

  /// Stores `value` and returns the old value, so that the caller releases it without the lock.
  package func replace(with value: Value) -> Value {
    var other = value
    withLock { swap(&$0, &other) }
    return other
  }

  /// Runs `body` with exclusive access to the value.
  @inlinable package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try body(&value)
  }
}
