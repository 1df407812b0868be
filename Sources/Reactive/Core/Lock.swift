import Synchronization

#if TSAN && !EXPLORED
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif
#endif

/// The one lock of the package: non-recursive, held for a few instructions, never while a user's
/// closure, an observer or `dispose()` runs.
///
/// It is `Synchronization`'s mutex. ThreadSanitizer does not see that mutex on Linux, so a build
/// with `-Xswiftc -DTSAN` replaces it by a pthread mutex.
@frozen @usableFromInline package struct Lock: ~Copyable, Sendable {
  #if TSAN && !EXPLORED
  // A pthread mutex has an address of its own from init to deinit, and is thread-safe by design.
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
  /// The result need not be Sendable, which the standard mutex asks for.
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
  // Protected by `gate`: every access goes through `withLock`.
  @exclusivity(unchecked) @usableFromInline var value: Value
  @usableFromInline let gate = Lock()

  @inlinable package init(_ value: Value) { self.value = value }

  /// Puts `value` in its place; the old one is released by the caller, unlocked.
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
