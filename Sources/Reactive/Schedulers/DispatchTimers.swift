import Dispatch

/// All timers of a dispatch queue, with one heap and one dispatch source.
///
/// The cost of a source for the system does not depend on the number of timers.
final class DispatchTimers: @unchecked Sendable {
  // `lock` protects the fields below. A timer in the heap holds this object, which holds the heap:
  // the source exists as long as a timer waits, even after the release of the scheduler.
  private let lock = Lock()
  @exclusivity(unchecked) private var heap = TimerHeap<TimedWork>()
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
    work.timers = self
    let deadline = now + min(delay.nanoseconds, ScheduledWork.never)
    lock.withLock {
      heap.insert(work, deadline: deadline)
      arm()
    }
  }

  /// Notes a disposal of work in the heap.
  fileprivate func noteCancelled() { lock.withLock { heap.noteCancelled() } }

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Sets the source to the first deadline.
  ///
  /// A wake-up costs as much as fifty timers. With thousands of timers, neighbouring ones share a
  /// wake-up and may be up to a millisecond late. With a few timers each is on time. The caller
  /// holds the lock.
  private func arm() {
    guard let first = heap.earliest(), first < ScheduledWork.never else { return }
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
      while let (work, deadline) = heap.popDue(now: now) {
        due.append(work)
        if work.period > 0 {
          // Keeps the phase; periods that have passed are skipped.
          let next = deadline + ((now - deadline) / work.period + 1) * work.period
          heap.insert(work, deadline: next)
        }
      }
      arm()
    }
    for work in due { if isConcurrent { queue.async { work.run() } } else { work.run() } }
  }
}

/// Work that runs at a time, and then once in every period if the period is not zero.
class TimedWork: ScheduledWork, CancellableTimer, @unchecked Sendable {
  // Written once, before another object has a reference to this one.
  @exclusivity(unchecked) fileprivate final var timers: DispatchTimers?

  /// Whether the work is not disposed of.
  final var isPending: Bool { !isClosed }

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
  @exclusivity(unchecked) private var job: (state: State, action: (State) -> State)?
  // Immutable.
  private let time: UInt64

  init(_ period: RxTimeInterval, _ state: State, _ action: @escaping (State) -> State) {
    job = (state, action)
    time = max(1, min(period.nanoseconds, Self.never))
    super.init()
  }

  override var period: UInt64 { time }

  override func perform() -> WorkResult {
    if let (state, action) = job { job = (action(state), action) }
    return .again
  }
  override func forget() { job = nil }
}
