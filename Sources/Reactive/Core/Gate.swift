import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets one thread at a time through, and nobody wait: the state of every operator over several
/// sources is touched only inside.
///
/// | who comes                      | what happens                                     |
/// | ------------------------------ | ------------------------------------------------ |
/// | the gate is idle               | runs now                                         |
/// | the thread that is inside      | runs now, nested: re-entrancy is depth first     |
/// | another thread, gate is busy   | is queued; the thread inside runs it before it leaves |
/// | anybody, its scope is over     | nothing: what comes after the end is dropped     |
@usableFromInline package class Gate: @unchecked Sendable {
  // `owner` is the thread inside (0: nobody), with bit 0 set while `waiting` is not empty. `lock`
  // protects `waiting`. What subclasses and closures hold is touched only inside the gate.
  @usableFromInline let owner = Atomic<UInt>(0)
  private let lock = Lock()
  @exclusivity(unchecked) private var waiting: [() -> Void] = []

  @usableFromInline let scope: Lifetime?

  /// A gate that lets nobody in once `scope` is over.
  @inlinable package init(_ scope: Lifetime? = nil) { self.scope = scope }

  /// Whether what comes is dropped.
  ///
  /// Asked inside only: whoever checked before may have been overtaken by the end.
  @inlinable package final var isOver: Bool { scope?.isDisposed ?? false }

  @usableFromInline package enum Entry { case first, nested, busy }

  /// The closure that runs `body` inside.
  @inlinable package final func guarded<Input>(_ body: @escaping (Input) -> Void) -> (Input) -> Void
  { { input in self.run(input, body) } }

  /// Runs `body` inside.
  @inlinable @inline(__always) package final func run<Input>(
    _ input: Input, _ body: @escaping (Input) -> Void
  ) {
    switch enter() {
    case .first:
      if !isOver { body(input) }
      leave()
    case .nested: if !isOver { body(input) }
    case .busy: enqueue { body(input) }
    }
  }

  @inlinable @inline(__always) package final func enter() -> Entry {
    let me = threadIdentity()
    let (entered, current) = owner.compareExchange(
      expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed)
    return entered ? .first : current & ~1 == me ? .nested : .busy
  }

  @inlinable @inline(__always) package final func leave() {
    let me = threadIdentity()
    let (left, _) = owner.compareExchange(
      expected: me, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed)
    if !left { drain(me) }
  }

  /// Leaves `body` to the thread inside, or runs it when that one has left meanwhile.
  @usableFromInline package final func enqueue(_ body: @escaping () -> Void) {
    let me = threadIdentity()
    lock.lock()
    while true {
      let current = owner.load(ordering: .relaxed)
      if current == 0 {
        let (entered, _) = owner.weakCompareExchange(
          expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed)
        if !entered { continue }
        lock.unlock()
        if !isOver { body() }
        return leave()
      }
      let (marked, _) = owner.weakCompareExchange(
        expected: current, desired: current | 1, ordering: .relaxed)
      if !marked { continue }
      waiting.append(body)
      return lock.unlock()
    }
  }

  @usableFromInline @inline(never) final func drain(_ me: UInt) {
    while true {
      lock.lock()
      let batch = waiting
      waiting = []
      owner.store(me, ordering: .relaxed)
      lock.unlock()
      for body in batch where !isOver { body() }
      let (left, _) = owner.compareExchange(
        expected: me, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed)
      if left { return }
    }
  }
}

/// The current thread as a number with bit 0 clear; cheaper than asking for its id.
@inlinable @inline(__always) package func threadIdentity() -> UInt {
  #if canImport(Darwin)
  UInt(bitPattern: pthread_self())
  #else
  UInt(pthread_self())
  #endif
}
