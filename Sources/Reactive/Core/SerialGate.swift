import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Admits one thread at a time.
///
/// The state of every operator over several sources is touched only inside a gate.
///
/// | caller of `run`               | what happens                                                |
/// | ----------------------------- | ----------------------------------------------------------- |
/// | any thread, gate is idle      | runs now                                                    |
/// | the thread inside             | runs now, nested: reentrancy is depth first                 |
/// | another thread, gate is busy  | queued; the thread inside runs the body before it exits     |
/// | another thread, gate crowded  | queued, and the caller waits for its turn, 10 ms at most    |
/// | any thread, scope is disposed | dropped                                                     |
///
/// A gate is crowded when 256 bodies are queued, or when the thread inside has run bodies of other
/// threads for a millisecond. Waiting senders continue when fewer than 128 bodies are queued. After
/// the millisecond, the first of them enters in place of the thread inside. It follows that no
/// thread runs bodies of others without end, and that a queue that is not drained grows slowly. A
/// body may wait for a thread that sends here: that thread continues after 10 ms at most.
@usableFromInline package class SerialGate: @unchecked Sendable {
  // `owner` is the thread inside (0: none), with bit 0 set while `waiting` is not empty, and bit 1
  // set while the thread inside wants to be relieved. `waitingLock` protects `waiting` (the queued
  // bodies, each called with numbers whose sum is its count), `length` (how many elements and
  // uncounted bodies are not run yet) and `turns`. The state of subclasses and closures is touched
  // only inside.
  @usableFromInline typealias Waiting = (count: Int, body: (Int) -> Void)
  @usableFromInline let owner = Atomic<UInt>(0)
  @usableFromInline final let waitingLock = Lock()
  @exclusivity(unchecked) @usableFromInline final var length: UInt32 = 0
  @exclusivity(unchecked) @usableFromInline final var waiting: [Waiting] = []
  @exclusivity(unchecked) private final var turns: [Turn] = []

  @usableFromInline let scope: Lifetime?

  /// Creates a gate that runs no more bodies once `scope` is disposed of.
  @inlinable package init(_ scope: Lifetime? = nil) { self.scope = scope }

  /// Creates a gate with `thread` inside, which must call `exit()`.
  package convenience init(_ scope: Lifetime, inside thread: UInt) {
    self.init(scope)
    owner.store(thread, ordering: .relaxed)
  }

  /// Whether bodies are dropped.
  ///
  /// Ask inside: an answer from before entering may be outdated.
  @inlinable package final var isOver: Bool { scope?.isDisposed ?? false }

  /// Returns a closure that runs `body` inside.
  @inlinable package final func guarded<Input>(_ body: @escaping (Input) -> Void) -> (Input) -> Void
  { { input in self.run(input, body) } }

  /// Runs `body` inside.
  @inlinable @inline(__always) package final func run<Input>(
    _ input: Input, _ body: @escaping (Input) -> Void
  ) {
    pass({ body(input) }, busy: { runLater(input, body) })
  }

  // Not inlined: the rare path must not make the fast path save registers.
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
      exit()
    } else if current & ~3 == me {
      if !isOver { body() }
    } else {
      busy()
    }
  }

  /// Lets the thread inside run the entry of `waiting` that `enqueue` adds, or adds to.
  ///
  /// `enqueue` runs with the lock held. When the gate is idle by then, `body` runs now instead.
  @inlinable final func queue(_ body: () -> Void, _ enqueue: () -> Void) {
    if enterOrLock() {
      if !isOver { body() }
      return exit()
    }
    enqueue()
    length &+= 1
    if length >= Self.crowdedLength || owner.load(ordering: .relaxed) & 2 != 0 {
      return waitForTurn()
    }
    waitingLock.unlock()
  }

  /// Queues an entry behind the others; the caller is inside and does not wait for its turn.
  ///
  /// - Parameters:
  ///   - count: number of elements that `body` delivers; 0 for a body that runs once, and is
  ///     dropped when the scope is disposed of
  ///   - body: called with the numbers of elements to deliver, whose sum is `count`
  @usableFromInline final func queueInside(_ count: Int, _ body: @escaping (Int) -> Void) {
    // Cannot enter, since the caller is inside: locks, and marks `owner`.
    _ = enterOrLock()
    waiting.append((count, body))
    length &+= UInt32(max(count, 1))
    waitingLock.unlock()
  }

  /// Enters when the gate is idle and returns true; otherwise keeps the lock and marks `owner`.
  ///
  /// The mark makes the thread inside look into `waiting` before it exits.
  @usableFromInline final func enterOrLock() -> Bool {
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

  @inlinable @inline(__always) final func exit() {
    let me = threadIdentity()
    let (exited, _) = owner.compareExchange(
      expected: me, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed)
    if !exited { drain(me) }
  }

  /// Runs the queue, part by part, until it is empty or another thread takes over.
  @usableFromInline @inline(never) final func drain(_ me: UInt) {
    var batch: [Waiting] = []
    var begun = 0
    var stay = DrainTime(start: DispatchTime.now().uptimeNanoseconds)
    var done = 0
    while true {
      if begun == batch.count {
        // The bodies that have run are released here, without the lock.
        batch.removeAll(keepingCapacity: batch.count < 1024)
        begun = 0
      }
      waitingLock.lock()
      if batch.isEmpty { swap(&batch, &waiting) }
      length &-= UInt32(done)
      if batch.isEmpty {
        owner.store(0, ordering: .releasing)
        let freed = removeTurns(settingState: .room)
        waitingLock.unlock()
        return freed.forEach { $0.wake() }
      }
      if stay.isUsedUp, let next = turns.first {
        turns.removeFirst()
        next.state = .inside
        waiting.insert(contentsOf: batch[begun...], at: 0)
        owner.store(next.thread | 1, ordering: .relaxed)
        waitingLock.unlock()
        return next.wake()
      }
      owner.store(stay.isUsedUp ? me | 2 : me, ordering: .relaxed)
      let freed = length < Self.crowdedLength / 2 ? removeTurns(settingState: .room) : []
      waitingLock.unlock()
      freed.forEach { $0.wake() }
      done = runBatch(&batch, from: &begun, atMost: stay.part)
      stay.note(now: DispatchTime.now().uptimeNanoseconds)
    }
  }

  /// Runs entries of `batch` until `limit` elements are delivered; returns how many were.
  ///
  /// An entry without a count is one element.
  private func runBatch(_ batch: inout [Waiting], from begun: inout Int, atMost limit: Int) -> Int {
    var done = 0
    while done < limit, begun < batch.count {
      let (count, body) = batch[begun]
      let part = min(count, limit - done)
      // A body with a count runs even after the end: it releases elements that are queued
      // elsewhere.
      if count > 0 || !isOver { body(part) }
      done += max(part, 1)
      batch[begun].count -= part
      if batch[begun].count == 0 { begun += 1 }
    }
    return done
  }

  // MARK: Turns

  /// The number of queued bodies at which a gate is crowded.
  #if EXPLORED
  // Built for the explorer's tests, which choose the order of threads: few bodies, no clock.
  @usableFromInline static var crowdedLength: UInt32 { 2 }
  #else
  @inlinable static var crowdedLength: UInt32 { 256 }
  #endif

  /// Waits until there is room or the gate is handed over, 10 milliseconds at most.
  ///
  /// When the gate is handed over, this thread continues with the queue. The caller holds the lock,
  /// and has added its own entry to `waiting`.
  @usableFromInline @inline(never) final func waitForTurn() {
    let turn = Turn()
    turns.append(turn)
    waitingLock.unlock()
    turn.wait { self.waitingLock.withLock { turn.state } == .waiting }
    let isInside = waitingLock.withLock {
      // The wait timed out: no other thread may hand the gate over any more.
      if turn.state == .waiting { turns.removeAll { $0 === turn } }
      return turn.state == .inside
    }
    if isInside { drain(turn.thread) }
  }

  /// Removes all turns, sets their state and returns them to be woken.
  ///
  /// The caller holds the lock.
  private func removeTurns(settingState state: Turn.State) -> [Turn] {
    if turns.isEmpty { return [] }
    defer { turns = [] }
    for turn in turns { turn.state = state }
    return turns
  }
}

/// The turn of a thread that has sent to a crowded gate and waits.
@usableFromInline final class Turn {
  enum State {
    case waiting
    /// The queue has room again.
    case room
    /// The thread owns the gate.
    case inside
  }

  let thread = threadIdentity()
  /// Protected by the gate's lock.
  var state = State.waiting

  #if EXPLORED
  // The explorer's threads take turns, so a waiting thread looks for a change instead.
  func wake() {}

  func wait(while isWaiting: () -> Bool) {
    for _ in 0..<2 where isWaiting() { sched_yield() }
  }
  #else
  private let semaphore = DispatchSemaphore(value: 0)

  func wake() { semaphore.signal() }

  /// Returns when the turn is woken, or after 10 milliseconds.
  ///
  /// `isWaiting` is called only in the explorer's tests, which have no semaphore.
  func wait(while isWaiting: () -> Bool) {
    _ = semaphore.wait(timeout: .now() + .milliseconds(10))
  }
  #endif
}

/// The time for which a thread has run bodies of others, limited to a millisecond.
///
/// The clock is read after the first body, the third, the seventh and so on, and then after every
/// 32nd. Once the time is used up, the thread looks for a waiting sender after each body.
package struct DrainTime {
  /// Whether a waiting sender may take over.
  package private(set) var isUsedUp = false
  /// The number of bodies to run before the next look.
  package private(set) var part = 1
  private let start: UInt64

  private static let limit: UInt64 = 1_000_000

  /// The times are in nanoseconds.
  package init(start: UInt64) { self.start = start }

  /// Notes the time after a part.
  package mutating func note(now: UInt64) {
    #if EXPLORED
    isUsedUp = true
    #else
    isUsedUp = isUsedUp || now - start >= Self.limit
    #endif
    part = isUsedUp ? 1 : min(2 * part, 32)
  }
}

/// The current thread as a number with bits 0 and 1 clear; cheaper than a system thread id.
@inlinable @inline(__always) package func threadIdentity() -> UInt {
  #if canImport(Darwin)
  UInt(bitPattern: pthread_self())
  #else
  UInt(pthread_self())
  #endif
}
