import Synchronization

/// Held by the thread that reduces a state in place, for one step.
///
/// Only a composer whose `reducesInPlace` is true has one.
@usableFromInline final class InPlaceLock: Sendable {
  private let mutex = Lock()
  // The identity of the thread that holds the lock; 0 while the lock is free.
  private let holder = Atomic<UInt>(0)
  // The lock that each waiting thread waits for; used to detect a circle of waiting threads.
  private static let waitingThreads = Locked<[UInt: InPlaceLock]>([:])

  @usableFromInline init() {}

  /// Waits until the lock is free, and takes it.
  @usableFromInline func lock() {
    mutex.lock()
    holder.store(threadIdentity(), ordering: .relaxed)
  }

  /// Releases the lock.
  @usableFromInline func unlock() {
    holder.store(0, ordering: .relaxed)
    mutex.unlock()
  }

  /// Waits until the lock is free, without taking it.
  ///
  /// Traps when the current thread holds the lock, or when the holder waits, directly or through
  /// other threads, for the current thread.
  func waitUntilUnlocked() {
    let thread = threadIdentity()
    let last = Self.waitingThreads.withLock { waitingThreads in
      waitingThreads[thread] = self
      var last = self
      while let next = waitingThreads[last.holder.load(ordering: .relaxed)], next !== self {
        last = next
      }
      return last
    }
    if last.holder.load(ordering: .relaxed) == thread {
      preconditionFailure(
        """
        The state of a composer that reduces in place was read \
        \(last === self ? "inside its reducer" : "by a reducer whose own state it waits for"). \
        Read the reducer's inout state, and send with the action what else it needs to know.
        """)
    }
    // The thread is removed while it holds `mutex`: no other thread is the holder then, so that
    // none is taken for a waiting one.
    mutex.withLock { _ = Self.waitingThreads.withLock { $0.removeValue(forKey: thread) } }
  }
}
