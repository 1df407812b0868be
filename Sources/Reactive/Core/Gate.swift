import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets one thread at a time through: the state of every operator over several sources is touched only
/// inside.
///
/// | who comes                      | what happens                                     |
/// | ------------------------------ | ------------------------------------------------ |
/// | the gate is idle               | runs now                                         |
/// | the thread that is inside      | runs now, nested: re-entrancy is depth first     |
/// | another thread, gate is busy   | is queued; the thread inside runs it before it leaves |
/// | another thread, gate is crowded | the same, and it waits for its turn, 10 milliseconds at most |
/// | anybody, its scope is over     | nothing: what comes after the end is dropped     |
///
/// It is crowded when 256 are queued, or when the thread inside has been at work for others for a millisecond:
/// then the first one that waits for its turn goes on in its place. So no thread is kept for others as long as these
/// send, a queue that is not worked off grows slowly, and whoever waits inside for another sender gets it.
@usableFromInline package class Gate: @unchecked Sendable {
  // `owner` is the thread inside (0: nobody), with bit 0 set while `waiting` is not empty, and bit 1 while the
  // thread inside wants to be relieved.
  // `waitingLock` protects `waiting`: bodies, each called with its count; `length`: how many are not run yet; and
  // `turns`. What subclasses and closures hold is touched only inside the gate.
  @usableFromInline typealias Waiting = (count: Int, body: (Int) -> Void)
  @usableFromInline let owner = Atomic<UInt>(0)
  @usableFromInline final let waitingLock = Lock()
  @exclusivity(unchecked) @usableFromInline final var length: UInt32 = 0
  @exclusivity(unchecked) @usableFromInline final var waiting: [Waiting] = []
  @exclusivity(unchecked) private final var turns: [Turn] = []

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
    pass({ body(input) }, busy: { runLater(input, body) })
  }

  // Not inlined: what is rare shall not have the fast path save registers.
  @inlinable @inline(never) final func runLater<Input>(
    _ input: Input, _ body: @escaping (Input) -> Void
  ) { queue({ body(input) }) { waiting.append((0, { _ in body(input) })) } }

  /// Runs `body` now, or `busy` when another thread is inside.
  @inlinable @inline(__always) final func pass(_ body: () -> Void, busy: () -> Void) {
    let me = threadIdentity()
    let (entered, current) = owner.compareExchange(
      expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed)
    if entered {
      if !isOver { body() }
      leave()
    } else if current & ~3 == me {
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
    length &+= 1
    if length >= Turn.crowd || owner.load(ordering: .relaxed) & 2 != 0 { return takeTurn() }
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

  /// Runs what waits, part by part, until nothing is left or another thread goes on with it.
  @usableFromInline @inline(never) final func drain(_ me: UInt) {
    var batch: [Waiting] = []
    var begun = 0
    var stay = Stay()
    var done = 0
    while true {
      if begun == batch.count {
        // What was run is released here, unlocked.
        batch.removeAll(keepingCapacity: batch.count < 1024)
        begun = 0
      }
      waitingLock.lock()
      if batch.isEmpty { swap(&batch, &waiting) }
      length &-= UInt32(done)
      if batch.isEmpty {
        owner.store(0, ordering: .releasing)
        let freed = takeTurns(as: .room)
        waitingLock.unlock()
        return freed.forEach { $0.wake() }
      }
      if stay.isOver, let next = turns.first {
        turns.removeFirst()
        next.state = .inside
        waiting.insert(contentsOf: batch[begun...], at: 0)
        owner.store(next.thread | 1, ordering: .relaxed)
        waitingLock.unlock()
        return next.wake()
      }
      owner.store(stay.isOver ? me | 2 : me, ordering: .relaxed)
      let freed = length < Turn.crowd / 2 ? takeTurns(as: .room) : []
      waitingLock.unlock()
      freed.forEach { $0.wake() }
      done = run(&batch, from: &begun, atMost: stay.part)
      stay.note()
    }
  }

  /// Runs a part of `batch`; returns how many it has.
  private func run(_ batch: inout [Waiting], from begun: inout Int, atMost limit: Int) -> Int {
    var done = 0
    while done < limit, begun < batch.count {
      let (count, body) = batch[begun]
      let part = min(count, limit - done)
      // What is over still lets go of the elements that are kept somewhere else.
      if count > 0 || !isOver { body(part) }
      done += max(part, 1)
      batch[begun].count -= part
      if batch[begun].count == 0 { begun += 1 }
    }
    return done
  }

  // MARK: Turns

  /// Waits, 10 milliseconds at most, until there is room again, or the gate is handed over: then it goes on with what
  /// waits.
  ///
  /// The caller holds the lock, and has put into `waiting` what it brings.
  @usableFromInline @inline(never) final func takeTurn() {
    let turn = Turn()
    turns.append(turn)
    waitingLock.unlock()
    turn.wait { self.waitingLock.withLock { turn.state } == .waiting }
    let isInside = waitingLock.withLock {
      // Not any more, when it has waited in vain.
      if turn.state == .waiting { turns.removeAll { $0 === turn } }
      return turn.state == .inside
    }
    if isInside { drain(turn.thread) }
  }

  /// Those that wait for their turn, who need not any more; the caller holds the lock.
  private func takeTurns(as state: Turn.State) -> [Turn] {
    if turns.isEmpty { return [] }
    defer { turns = [] }
    for turn in turns { turn.state = state }
    return turns
  }
}

/// A thread that has sent to a crowded gate, and waits for its turn.
@usableFromInline final class Turn {
  enum State {
    case waiting
    /// There is room again.
    case room
    /// The gate is the thread's.
    case inside
  }

  /// From how many that wait on a gate is crowded.
  #if EXPLORED
  @usableFromInline static var crowd: UInt32 { 2 }
  #else
  @inlinable static var crowd: UInt32 { 256 }
  #endif

  let thread = threadIdentity()
  /// Protected by the gate's lock.
  var state = State.waiting

  #if EXPLORED
  func wake() {}

  func wait(while isWaiting: () -> Bool) {
    for _ in 0..<2 where isWaiting() { sched_yield() }
  }
  #else
  private let semaphore = DispatchSemaphore(value: 0)

  func wake() { semaphore.signal() }

  /// Returns when it is woken, and after 10 milliseconds.
  func wait(while isWaiting: () -> Bool) {
    _ = semaphore.wait(timeout: .now() + .milliseconds(10))
  }
  #endif
}

/// How long a thread has been at work for others: a millisecond is enough.
///
/// The clock is read after the first of them, the third, the seventh and so on, and after every 32nd.
private struct Stay {
  private(set) var isOver = false
  /// How many to run before the next look at the clock.
  private(set) var part = 1

  #if EXPLORED
  mutating func note() { isOver = true }
  #else
  private let start = DispatchTime.now().uptimeNanoseconds

  private static let limit: UInt64 = 1_000_000

  mutating func note() {
    part = min(2 * part, 32)
    isOver = isOver || DispatchTime.now().uptimeNanoseconds - start >= Self.limit
  }
  #endif
}

/// The current thread as a number with bit 0 clear; cheaper than asking for its id.
@inlinable @inline(__always) package func threadIdentity() -> UInt {
  #if canImport(Darwin)
  UInt(bitPattern: pthread_self())
  #else
  UInt(pthread_self())
  #endif
}
