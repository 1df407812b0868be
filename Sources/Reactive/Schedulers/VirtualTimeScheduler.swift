import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The order of two points of virtual time.
public enum VirtualTimeComparison: Sendable {
  /// The first point is earlier than the second.
  case lessThan
  /// The points are equal.
  case equal
  /// The first point is later than the second.
  case greaterThan
}

/// Converts between virtual and real time.
@preconcurrency public protocol VirtualTimeConverterType: Sendable {
  /// The type of a point of virtual time.
  associatedtype VirtualTimeUnit: Sendable
  /// The type of an interval of virtual time.
  associatedtype VirtualTimeIntervalUnit: Sendable

  /// Returns the real time that corresponds to a virtual time.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime
  /// Returns the virtual time that corresponds to a real time.
  func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit
  /// Returns the real interval, in seconds, that corresponds to a virtual interval.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit)
    -> TimeInterval
  /// Returns the virtual interval that corresponds to a real interval in seconds.
  func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit
  /// Returns `time` moved by `offset`.
  func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit)
    -> VirtualTimeUnit
  /// Returns the order of `lhs` and `rhs`.
  func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// A scheduler whose clock moves only when the program moves it.
///
/// Hours pass in microseconds, and every run gives the same result. Work runs on the thread that
/// calls `start` or `advanceTo`, ordered by time, and at equal times by the order of scheduling.
/// Work may be scheduled on any thread. Work that waits when the scheduler is released never runs,
/// and is released with the scheduler.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType,
  CustomDebugStringConvertible, @unchecked Sendable
{
  /// A point of virtual time.
  public typealias VirtualTime = Converter.VirtualTimeUnit
  /// An interval of virtual time.
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  // Operators use a scheduler as `any SchedulerType`. Calls made that way are generic, and ask the
  // runtime for the types of the converter at every step. Each piece of work therefore goes through
  // these two closures, which are compiled for the converter where `init` is.
  @usableFromInline let compiledAdd: (VirtualTimeScheduler, ScheduledWork, RxTimeInterval) -> Void
  @usableFromInline let compiledNow: (VirtualTimeScheduler) -> RxTime

  // `lock` protects `time`, `arrived`, `sequence`, `isRunning` and `isStopped`. `waiting` and
  // `moved` are touched inside `exclusively` without the lock: the user's converter is not called
  // under a lock.
  @usableFromInline final let lock = Lock()
  @exclusivity(unchecked) @usableFromInline final var isRunning = false
  @exclusivity(unchecked) @usableFromInline final var isStopped = false
  @exclusivity(unchecked) @usableFromInline final var sequence = 0
  @exclusivity(unchecked) @usableFromInline final var arrived: ContiguousArray<ScheduledItem> = []
  @exclusivity(unchecked) @usableFromInline final var moved: ContiguousArray<ScheduledItem> = []
  @exclusivity(unchecked) @usableFromInline final var waiting = Heap<ScheduledItem>()
  @exclusivity(unchecked) @usableFromInline final var time: VirtualTime
  @usableFromInline final let converter: Converter

  /// Creates a scheduler whose clock shows `initialClock`.
  @inlinable public init(initialClock: VirtualTime, converter: Converter) {
    self.converter = converter
    time = initialClock
    compiledAdd = { $0.insert($1, after: $2) }
    compiledNow = { $0.converter.convertFromVirtualTime($0.clock) }
  }

  /// The current virtual time.
  @inlinable public final var clock: VirtualTime { lock.withLock { time } }

  /// The real time that corresponds to `clock`.
  public final var now: RxTime { compiledNow(self) }

  /// The clock and, unless the scheduler is running, the time of the first waiting work.
  public final var debugDescription: String {
    "\(Self.self)(clock: \(clock), next: \(nextTime.map { "\($0)" } ?? "none"))"
  }

  /// Runs `action` at the current virtual time, once the scheduler runs.
  public final func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { scheduleRelative(state, dueTime: .microseconds(0), action: action) }

  /// Runs `action` after `dueTime` of virtual time.
  public final func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    compiledAdd(self, work, dueTime)
    return work
  }

  /// Runs `action` after `startAfter` and then once in every `period` of virtual time.
  ///
  /// No run is skipped.
  public final func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    let work = PeriodicWork(period, state, action)
    compiledAdd(self, work, startAfter)
    return work
  }

  /// Runs `action` after `dueTime` in units of virtual time.
  ///
  /// `adjustScheduledTime` does not change that time.
  public final func scheduleRelativeVirtual<StateType>(
    _ state: StateType, dueTime: VirtualTimeInterval,
    action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let time = converter.offsetVirtualTime(clock, offset: dueTime)
    return scheduleAbsoluteVirtual(state, time: time, action: action)
  }

  /// Runs `action` at `time`; a past time counts as the current one.
  public final func scheduleAbsoluteVirtual<StateType>(
    _ state: StateType, time: VirtualTime, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    insert(work, at: time)
    return work
  }

  /// Returns the time at which to run work that was scheduled for `time`; subclasses override it.
  ///
  /// The default returns `time`.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs all work until none waits or `stop` is called; does nothing if the scheduler is running.
  @inlinable public final func start() { exclusively { run(upTo: nil) } }

  /// Runs the work up to `virtualTime`, and then sets the clock to it.
  @inlinable public final func advanceTo(_ virtualTime: VirtualTime) {
    checkNotPast(virtualTime)
    let hasRun: Void? = exclusively {
      run(upTo: virtualTime)
      lock.withLock { time = virtualTime }
    }
    precondition(hasRun != nil, "The scheduler is running already.")
  }

  /// Runs the work up to `virtualTime`, and sets the clock to it; stops when more work has been added than
  /// `count`, and returns false then.
  package final func advanceTo(_ virtualTime: VirtualTime, addingAtMost count: Int) -> Bool {
    checkNotPast(virtualTime)
    let isDone = exclusively {
      _ = takeArrived()
      if !run(upTo: virtualTime, atMost: waiting.count + count) { return false }
      lock.withLock { time = virtualTime }
      return true
    }
    guard let isDone else { preconditionFailure("The scheduler is running already.") }
    return isDone
  }

  /// Moves the clock by `virtualInterval` without running work.
  public final func sleep(_ virtualInterval: VirtualTimeInterval) {
    let later = converter.offsetVirtualTime(clock, offset: virtualInterval)
    checkNotPast(later)
    lock.withLock { time = later }
  }

  /// Stops `start` or `advanceTo` after the current piece of work.
  public final func stop() { lock.withLock { isStopped = true } }

  /// The time of the first waiting work; nil if none waits or the scheduler is running.
  @inlinable package final var nextTime: VirtualTime? {
    exclusively {
      _ = takeArrived()
      return first?.time
    } ?? nil
  }

  @usableFromInline struct ScheduledItem {
    @usableFromInline let time: VirtualTime
    @usableFromInline let sequence: Int
    @usableFromInline let work: ScheduledWork

    @inlinable init(time: VirtualTime, sequence: Int, work: ScheduledWork) {
      self.time = time
      self.sequence = sequence
      self.work = work
    }
  }
}

// MARK: - Scheduling and running work

extension VirtualTimeScheduler {
  @inlinable final func insert(_ work: ScheduledWork, after dueTime: RxTimeInterval) {
    let nanoseconds = dueTime.nanoseconds
    if nanoseconds >= ScheduledWork.never { return }
    let now = converter.convertFromVirtualTime(clock)
    let date = now.addingTimeInterval(TimeInterval(nanoseconds) / 1e9)
    insert(work, at: adjustScheduledTime(converter.convertToVirtualTime(date)))
  }

  @inlinable final func insert(_ work: ScheduledWork, at time: VirtualTime) {
    lock.withLock {
      sequence += 1
      arrived.append(ScheduledItem(time: time, sequence: sequence, work: work))
    }
  }

  @inlinable final func checkNotPast(_ time: VirtualTime) {
    let clock = clock
    let isPast = converter.compareVirtualTime(time, clock) == .lessThan
    precondition(!isPast, "Virtual time cannot go back from \(clock) to \(time).")
  }

  /// Runs `body` if no other call of this function is running, otherwise returns nil.
  @inlinable @discardableResult final func exclusively<Result>(_ body: () -> Result) -> Result? {
    let isFirst = lock.withLock {
      if isRunning { return false }
      (isRunning, isStopped) = (true, false)
      return true
    }
    guard isFirst else { return nil }
    defer { lock.withLock { isRunning = false } }
    return body()
  }

  /// Returns false when more work than `count` is due.
  @inlinable @discardableResult
  final func run(upTo limit: VirtualTime?, atMost count: Int = .max) -> Bool {
    var remaining = count
    while takeArrived(), let next = first {
      if let limit, converter.compareVirtualTime(next.time, limit) == .greaterThan { break }
      if remaining == 0 { return false }
      remaining -= 1
      _ = waiting.popFirst(by: precedes)
      if converter.compareVirtualTime(next.time, clock) == .greaterThan {
        lock.withLock { time = next.time }
      }
      let period = next.work.period
      if period > 0 { insert(next.work, after: .nanoseconds(Int(clamping: period))) }
      next.work.run()
    }
    return true
  }

  /// Moves newly scheduled work into the heap; returns false when `stop` was called.
  @inlinable final func takeArrived() -> Bool {
    lock.lock()
    let isStopped = isStopped
    swap(&arrived, &moved)
    lock.unlock()
    if moved.isEmpty { return !isStopped }
    for item in moved { waiting.insert(item, by: precedes) }
    moved.removeAll(keepingCapacity: moved.count < 1024)
    return !isStopped
  }

  /// The first waiting work that is not disposed of.
  @inlinable final var first: ScheduledItem? {
    while let first = waiting.first {
      if !first.work.isClosed { return first }
      _ = waiting.popFirst(by: precedes)
    }
    return nil
  }

  @inlinable final func precedes(_ lhs: ScheduledItem, _ rhs: ScheduledItem) -> Bool {
    switch converter.compareVirtualTime(lhs.time, rhs.time) {
    case .lessThan: true
    case .equal: lhs.sequence < rhs.sequence
    case .greaterThan: false
    }
  }
}

extension VirtualTimeScheduler: WorkScheduler {
  var joinsTurns: Bool { false }

  func add(_ work: TimedWork, after dueTime: RxTimeInterval) { compiledAdd(self, work, dueTime) }
}
