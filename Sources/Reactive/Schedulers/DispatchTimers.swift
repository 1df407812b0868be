import Dispatch

/// All timers of a dispatch queue: one heap, one dispatch source.
///
/// A source costs the system the same whether it serves one timer or a hundred thousand.
final class DispatchTimers: @unchecked Sendable {
  // `lock` protects the rest. A timer in the heap holds this object, which holds the heap: the source
  // lives for as long as anything waits, whoever has let go of the scheduler.
  private let lock = Lock()
  @exclusivity(unchecked) private var heap = Heap<Slot>()
  @exclusivity(unchecked) private var sequence: UInt64 = 0
  // Disposed of since the last clearance; some have left the heap by themselves.
  @exclusivity(unchecked) private var cancelled = 0
  @exclusivity(unchecked) private var armedFor = UInt64.max
  @exclusivity(unchecked) private var firedAt: UInt64 = 0
  @exclusivity(unchecked) private var source: (any DispatchSourceTimer)?

  private let queue: DispatchQueue
  private let leeway: DispatchTimeInterval
  private let isConcurrent: Bool

  /// Timers that fire on `queue`.
  init(queue: DispatchQueue, leeway: DispatchTimeInterval, isConcurrent: Bool) {
    self.queue = queue
    self.leeway = leeway
    self.isConcurrent = isConcurrent
  }

  deinit { source?.cancel() }

  /// Lets `work` wait for `delay`, and then for each of its periods.
  func add(_ work: TimedWork, after delay: DispatchTimeInterval) {
    work.timers = self
    let deadline = now + min(delay.nanoseconds, Self.never)
    lock.withLock {
      heap.insert(slot(for: work, at: deadline), by: Slot.precedes)
      arm()
    }
  }

  /// To be called after work in the heap was disposed of.
  fileprivate func noteCancelled() {
    lock.withLock {
      cancelled += 1
      if cancelled * 2 <= heap.count { return }
      heap.removeAll(where: { $0.work.isClosed }, by: Slot.precedes)
      cancelled = 0
    }
  }

  /// More than a century: what is put off for so long is not waited for.
  fileprivate static let never = UInt64.max >> 2

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private func slot(for work: TimedWork, at deadline: UInt64) -> Slot {
    sequence += 1
    return Slot(deadline: deadline, sequence: sequence, work: work)
  }

  /// Sets the source to the first deadline; the caller holds the lock.
  ///
  /// A wake-up costs as much as fifty timers. So where there are thousands, neighbours share one and
  /// may be up to a millisecond late; a few are on time.
  private func arm() {
    guard let first = heap.first?.deadline, first < Self.never else { return }
    let deadline = max(first, firedAt + min(1_000_000, UInt64(heap.count) * 100))
    if armedFor <= deadline { return }
    armedFor = deadline
    if source == nil {
      source = DispatchSource.makeTimerSource(queue: queue)
      source?.setEventHandler { [weak self] in self?.fire() }
      source?.resume()
    }
    source?.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline), leeway: leeway)
  }

  private func fire() {
    var due: [TimedWork] = []
    lock.withLock {
      let now = self.now
      (armedFor, firedAt) = (.max, now)
      while let slot = heap.first, slot.deadline <= now || slot.work.isClosed {
        let (work, isLive) = (slot.work, !slot.work.isClosed)
        if isLive { due.append(work) }
        if isLive, work.period > 0 {
          // Keeps the phase; periods that have passed already are skipped.
          let next = slot.deadline + ((now - slot.deadline) / work.period + 1) * work.period
          heap.replaceFirst(with: self.slot(for: work, at: next), by: Slot.precedes)
        } else {
          _ = heap.popFirst(by: Slot.precedes)
        }
      }
      arm()
    }
    for work in due { if isConcurrent { queue.async { work.run() } } else { work.run() } }
  }

  private struct Slot {
    let deadline: UInt64
    let sequence: UInt64
    let work: TimedWork

    static func precedes(_ lhs: Slot, _ rhs: Slot) -> Bool {
      (lhs.deadline, lhs.sequence) < (rhs.deadline, rhs.sequence)
    }
  }
}

/// Work that waits for its time, and again in every period when that is not zero.
class TimedWork: ScheduledWork, @unchecked Sendable {
  // Written once, before anything else knows this.
  @exclusivity(unchecked) fileprivate final var timers: DispatchTimers?

  override func didDispose() { if withdraw() || period > 0 { timers?.noteCancelled() } }
}

/// One object with its state, as there may be many.
final class TimedJob<State>: TimedWork, @unchecked Sendable {
  @exclusivity(unchecked) private var job: (state: State, action: (State) -> any Disposable)?

  init(_ state: State, _ action: @escaping (State) -> any Disposable) {
    job = (state, action)
    super.init()
  }

  override func perform() -> Outcome { job.map { Outcome($0.action($0.state)) } ?? .done }
  override func forget() { job = nil }
}

/// The same for what has another turn after each.
final class PeriodicWork<State>: TimedWork, @unchecked Sendable {
  @exclusivity(unchecked) private var job: (state: State, action: (State) -> State)?
  // Immutable.
  private let time: UInt64

  init(_ period: RxTimeInterval, _ state: State, _ action: @escaping (State) -> State) {
    job = (state, action)
    time = max(1, min(period.nanoseconds, DispatchTimers.never))
    super.init()
  }

  override var period: UInt64 { time }

  override func perform() -> Outcome {
    if let (state, action) = job { job = (action(state), action) }
    return .again
  }
  override func forget() { job = nil }
}
