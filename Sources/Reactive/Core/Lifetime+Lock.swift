import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// The lock of a lifetime, beside `Lock` the only one. Each subscription has one, and takes it for a few
// instructions: to close it (a store), to note its container (two stores), to put a link into its list or take
// one out (a few loads and stores, and a count of references that does not become zero). Nothing is allocated or
// freed under it, and nothing of a user's runs. Only tests, which count what it holds, walk a list under it.
extension Lifetime {
  #if canImport(Darwin)
  // Where threads have priorities, one that spins could keep from running the very one that it waits for: the
  // system's lock has that one run.

  /// Takes the lock; false, without it, when this is closed.
  final func lockIfOpen() -> Bool {
    if isClosed { return false }
    gate.lock()
    if !isClosed { return true }
    gate.unlock()
    return false
  }

  final func unlock() { gate.unlock() }

  /// Closes this and releases the lock.
  final func unlockClosed() {
    state.store(2, ordering: .releasing)
    gate.unlock()
  }
  #else
  // `state` is the lock too: 0 open, 1 open and locked, 2 closed. It is free again after a few instructions, or
  // when the scheduler lets run the thread that holds it: giving way until then is cheaper than a mutex.

  /// Takes the lock; false, without it, when this is closed.
  final func lockIfOpen() -> Bool {
    while true {
      let (locked, current) = state.weakCompareExchange(
        expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if locked { return true }
      if current == 2 { return false }
      if current == 1 { sched_yield() }
    }
  }

  final func unlock() { state.store(0, ordering: .releasing) }

  /// Closes this and releases the lock.
  final func unlockClosed() { state.store(2, ordering: .releasing) }
  #endif
}
