import Synchronization

/// The right to reduce a state where it is, and not a copy: one thread at a time has it, for a step.
///
/// Only composers that ask for it have one.
@usableFromInline final class InPlace: Sendable {
  private let lock = Lock()
  // The thread that has it; 0 is nobody.
  private let holder = Atomic<UInt>(0)
  // Which one each thread waits for: threads that wait in a circle would do so for ever.
  private static let waits = Locked<[UInt: InPlace]>([:])

  @usableFromInline init() {}

  /// Takes it, when nobody has it.
  @usableFromInline func take() {
    lock.lock()
    holder.store(threadIdentity(), ordering: .relaxed)
  }

  /// Gives it back.
  @usableFromInline func give() {
    holder.store(0, ordering: .relaxed)
    lock.unlock()
  }

  /// Waits until the thread that has it gives it back.
  ///
  /// That thread must not be this one, nor wait for this one: both are a programmer's error and trap.
  func wait() {
    let me = threadIdentity()
    let last = Self.waits.withLock { waits in
      waits[me] = self
      var last = self
      while let next = waits[last.holder.load(ordering: .relaxed)], next !== self { last = next }
      return last
    }
    if last.holder.load(ordering: .relaxed) == me {
      preconditionFailure(
        """
        The state of a composer that reduces in place was read \
        \(last === self ? "inside its reducer" : "by a reducer whose own state it waits for"). \
        Read the reducer's inout state, and send with the action what else it needs to know.
        """)
    }
    // While this thread has the lock nobody else has the right: nobody takes it for one that waits.
    lock.withLock { _ = Self.waits.withLock { $0.removeValue(forKey: me) } }
  }
}
