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
  // `owner` is the thread inside (0: nobody), with bit 0 set while `waiting` is not empty.
  // `waitingLock` protects `waiting`: bodies, each called with its count. What subclasses and closures
  // hold is touched only inside the gate.
  @usableFromInline typealias Waiting = (count: Int, body: (Int) -> Void)
  @usableFromInline let owner = Atomic<UInt>(0)
  @usableFromInline final let waitingLock = Lock()
  @exclusivity(unchecked) @usableFromInline final var waiting: [Waiting] = []

  @usableFromInline let scope: Lifetime?

  /// A gate that lets nobody in once `scope` is over.
  @inlinable package init(_ scope: Lifetime? = nil) { self.scope = scope }

  /// Whether what comes is dropped.
  ///
  /// Asked inside only: whoever checked before may have been overtaken by the end.
  @inlinable package final var isOver: Bool { scope?.isDisposed ?? false }

  /// The closure that runs `body` inside.
  @inlinable package final func guarded<Input>(_ body: @escaping (Input) -> Void) -> (Input) -> Void
  { { input in self.run(input, body) } }

  /// Runs `body` inside.
  @inlinable @inline(__always) package final func run<Input>(
    _ input: Input, _ body: @escaping (Input) -> Void
  ) {
    pass({ body(input) }) {
      self.queue({ body(input) }) { self.waiting.append((0, { _ in body(input) })) }
    }
  }

  /// Runs `body` now, or `busy` when another thread is inside.
  @inlinable @inline(__always) final func pass(_ body: () -> Void, busy: () -> Void) {
    let me = threadIdentity()
    let (entered, current) = owner.compareExchange(
      expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed)
    if entered {
      if !isOver { body() }
      leave()
    } else if current & ~1 == me {
      if !isOver { body() }
    } else {
      busy()
    }
  }

  /// Has the thread inside do what `enqueue`, which runs with the lock held, puts into `waiting`; runs
  /// `body` when that thread has left meanwhile.
  @inlinable final func queue(_ body: () -> Void, _ enqueue: () -> Void) {
    if entersOrLocks() {
      if !isOver { body() }
      return leave()
    }
    enqueue()
    waitingLock.unlock()
  }

  /// Enters when nobody is inside; else takes the lock, and has who is look into `waiting`.
  @usableFromInline final func entersOrLocks() -> Bool {
    let me = threadIdentity()
    waitingLock.lock()
    while true {
      let current = owner.load(ordering: .relaxed)
      if current & 1 == 1 { return false }
      let (done, _) = owner.weakCompareExchange(
        expected: current, desired: current == 0 ? me : current | 1,
        successOrdering: .acquiring, failureOrdering: .relaxed)
      guard done else { continue }
      if current == 0 { waitingLock.unlock() }
      return current == 0
    }
  }

  @inlinable @inline(__always) final func leave() {
    let me = threadIdentity()
    let (left, _) = owner.compareExchange(
      expected: me, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed)
    if !left { drain(me) }
  }

  @usableFromInline @inline(never) final func drain(_ me: UInt) {
    var batch: [Waiting] = []
    while true {
      waitingLock.lock()
      swap(&batch, &waiting)
      owner.store(me, ordering: .relaxed)
      waitingLock.unlock()
      // What is over still lets go of the elements that are kept somewhere else.
      for (count, body) in batch where count > 0 || !isOver { body(count) }
      batch.removeAll(keepingCapacity: batch.count < 1024)
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
