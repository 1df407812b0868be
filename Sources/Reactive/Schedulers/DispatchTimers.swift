import Dispatch

/// All timers of a dispatch queue, with one heap and one dispatch source.
///
/// The cost of a source for the system does not depend on the number of timers.
final class DispatchTimers: @unchecked Sendable {
  // `lock` protects the fields below. A timer in the heap holds this object, which holds the heap:
  // the source exists as long as a timer waits, even after the release of the scheduler.
  private let lock = Lock()
  @exclusivity(unchecked) private var heap = Heap<ScheduledTimer>()
  @exclusivity(unchecked) private var sequence: UInt64 = 0
  // The number of timers disposed of since the last clearance; some have left the heap meanwhile.
  @exclusivity(unchecked) private var cancelled = 0
  @exclusivity(unchecked) private var armedFor = UInt64.max
  @exclusivity(unchecked) private var firedAt: UInt64 = 0
  @exclusivity(unchecked) private var source: (any DispatchSourceTimer)?

  private let queue: DispatchQueue
  private let leeway: DispatchTimeInterval
  private let isConcurrent: Bool

  /// Creates timers that fire on `queue`.
  init(queue: DispatchQueue, leeway: DispatchTimeInterval, isConcurrent: Bool) {
    self.queue = queue
    self.leeway = leeway
    self.isConcurrent = isConcurrent
  }

  deinit { source?.cancel() }

  /// Runs `work` after `delay`, and then after each of its periods.
  func add(_ work: TimedWork, after delay: DispatchTimeInterval) {
    if let host = HostSystem.current {
      return host.add(work, after: delay.nanoseconds, on: isConcurrent ? nil : queue)
    }
    work.timers = self
    let deadline = now + min(delay.nanoseconds, ScheduledWork.never)
    lock.withLock {
      heap.insert(scheduledTimer(for: work, at: deadline), by: ScheduledTimer.precedes)
      arm()
    }
  }

  /// Counts a disposal of work in the heap, and removes such work when it is more than half.
  fileprivate func noteCancelled() {
    lock.withLock {
      cancelled += 1
      if cancelled * 2 <= heap.count { return }
      heap.removeAll(where: { $0.work.isClosed }, by: ScheduledTimer.precedes)
      cancelled = 0
    }
  }

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private func scheduledTimer(for work: TimedWork, at deadline: UInt64) -> ScheduledTimer {
    sequence += 1
    return ScheduledTimer(deadline: deadline, sequence: sequence, work: work)
  }

  /// Sets the source to the first deadline.
  ///
  /// A wake-up costs as much as fifty timers. With thousands of timers, neighbouring ones share a
  /// wake-up and may be up to a millisecond late. With a few timers each is on time. The caller
  /// holds the lock.
  private func arm() {
    guard let first = heap.first?.deadline, first < ScheduledWork.never else { return }
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
      while let first = heap.first, first.deadline <= now || first.work.isClosed {
        let (work, isLive) = (first.work, !first.work.isClosed)
        if isLive { due.append(work) }
        if isLive, work.period > 0 {
          // Keeps the phase; periods that have passed are skipped.
          let next = first.deadline + ((now - first.deadline) / work.period + 1) * work.period
          heap.replaceFirst(
            with: self.scheduledTimer(for: work, at: next), by: ScheduledTimer.precedes)
        } else {
          _ = heap.popFirst(by: ScheduledTimer.precedes)
        }
      }
      arm()
    }
    for work in due { if isConcurrent { queue.async { work.run() } } else { work.run() } }
  }

  private struct ScheduledTimer {
    let deadline: UInt64
    let sequence: UInt64
    let work: TimedWork

    static func precedes(_ lhs: ScheduledTimer, _ rhs: ScheduledTimer) -> Bool {
      (lhs.deadline, lhs.sequence) < (rhs.deadline, rhs.sequence)
    }
  }
}

/// Work that runs at a time, and then once in every period if the period is not zero.
class TimedWork: ScheduledWork, @unchecked Sendable {
  // Written once, before another object has a reference to this one.
  @exclusivity(unchecked) fileprivate final var timers: DispatchTimers?

  override func didDispose() { if withdraw() || period > 0 { timers?.noteCancelled() } }
}

/// Work that runs once; one object including its state, because there may be many.
final class TimedJob<State>: TimedWork, @unchecked Sendable {
  @exclusivity(unchecked) private var job: (state: State, action: (State) -> any Disposable)?

  init(_ state: State, _ action: @escaping (State) -> any Disposable) {
    job = (state, action)
    super.init()
  }

  override func perform() -> WorkResult { job.map { WorkResult($0.action($0.state)) } ?? .done }
  override func forget() { job = nil }
}

/// Work that runs again after each period; one object including its state.
final class PeriodicWork<State>: TimedWork, @unchecked Sendable {
  // Two properties: a tuple of them is a type that the runtime looks up at each step.
  @exclusivity(unchecked) private var latest: State?
  @exclusivity(unchecked) private var action: ((State) -> State)?
  // Immutable.
  private let time: UInt64

  init(_ period: RxTimeInterval, _ state: State, _ action: @escaping (State) -> State) {
    latest = state
    self.action = action
    time = max(1, min(period.nanoseconds, Self.never))
    super.init()
  }

  override var period: UInt64 { time }

  override func perform() -> WorkResult {
    if let action, let latest { self.latest = action(latest) }
    return .again
  }
  override func forget() { (latest, action) = (nil, nil) }
}
