import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// The lock of a lifetime, the only lock besides `Lock`. Each subscription has one. It is held for a
// few instructions: to close the lifetime (a store), to note its container (two stores), or to link
// or unlink an entry (a few loads and stores, and a reference count that does not become zero). No
// memory is allocated or freed under the lock, and no code of a user runs. Only `count`, which is
// for tests, walks a list under the lock.
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
    state.store(3, ordering: .releasing)
    gate.unlock()
  }

  /// Closes this before its end is delivered, and releases the lock.
  final func unlockEnded() {
    state.store(6, ordering: .releasing)
    gate.unlock()
  }
  #else
  // `state` is the lock too: 0 open, 1 open and locked, 2 or more closed. It is unlocked after a few
  // instructions, or once the system runs the preempted holder. Yielding until then is cheaper than
  // a mutex.

  /// Takes the lock; returns false, without the lock, when this is closed.
  final func lockIfOpen() -> Bool {
    while true {
      let (locked, current) = state.weakCompareExchange(
        expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if locked { return true }
      if current & 2 != 0 { return false }
      if current == 1 { sched_yield() }
    }
  }

  final func unlock() { state.store(0, ordering: .releasing) }

  /// Closes this, for the thread that disposes of the resources, and releases the lock.
  final func unlockClosed() { state.store(3, ordering: .releasing) }

  /// Closes this before its end is delivered, and releases the lock.
  final func unlockEnded() { state.store(6, ordering: .releasing) }
  #endif
}
