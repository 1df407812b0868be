import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// The lock of a lifetime, the only lock besides `Lock`. Each subscription has one. It is held for a
// few instructions: to close the lifetime (a store), to note its container (two stores), or to link
// or unlink an entry (a few loads and stores, and a reference count that does not become zero). No
// memory is allocated or freed under the lock, and no code of a user runs. A list is walked under
// the lock only up to the first open entry, and by `count`, which is for tests.
extension Lifetime {
  #if canImport(Darwin)
  // Where threads have priorities, a spinning thread could keep the holder of the lock from
  // running. The system's lock raises the holder's priority instead.

  /// Takes the lock; returns false, without the lock, when this is closed.
  final func lockIfOpen() -> Bool {
    if isClosed { return false }
    gate.lock()
    if !isClosed { return true }
    gate.unlock()
    return false
  }

  final func unlock() { gate.unlock() }

  /// Closes this, for the thread that disposes of the resources, and releases the lock.
  final func unlockClosed() {
    state.store(LifetimeState.releasing, ordering: .releasing)
    gate.unlock()
  }

  /// Closes this before its end is delivered, and releases the lock.
  final func unlockEnded() {
    state.store(LifetimeState.ending, ordering: .releasing)
    gate.unlock()
  }
  #else
  // `state` is the lock too. It is unlocked after a few
  // instructions, or once the system runs the preempted holder. Yielding until then is cheaper than
  // a mutex.

  /// Takes the lock; returns false, without the lock, when this is closed.
  final func lockIfOpen() -> Bool {
    while true {
      let (locked, current) = state.weakCompareExchange(
        expected: LifetimeState.open, desired: LifetimeState.locked, successOrdering: .acquiring,
        failureOrdering: .relaxed)
      if locked { return true }
      if current & 2 != 0 { return false }
      if current == LifetimeState.locked { sched_yield() }
    }
  }

  final func unlock() { state.store(LifetimeState.open, ordering: .releasing) }

  /// Closes this, for the thread that disposes of the resources, and releases the lock.
  final func unlockClosed() { state.store(LifetimeState.releasing, ordering: .releasing) }

  /// Closes this before its end is delivered, and releases the lock.
  final func unlockEnded() { state.store(LifetimeState.ending, ordering: .releasing) }
  #endif
}
