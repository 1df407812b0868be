import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A time interval of Dispatch: `.seconds(1)`, `.milliseconds(250)`.
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time.
public typealias RxTime = Date

/// Runs work on a queue, on a thread, or in the virtual time of a test.
@preconcurrency public protocol ImmediateSchedulerType: Sendable {
  /// Runs `action` with `state` as soon as the scheduler can.
  ///
  /// If the result is disposed of before the run, `action` is not called. A later disposal disposes
  /// of the disposable that `action` returned.
  func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable)
    -> any Disposable
}

/// Runs work now or later; the only source of time and threads in the package.
@preconcurrency public protocol SchedulerType: ImmediateSchedulerType {
  /// The current time of day on this scheduler's clock, which a user may set.
  var now: RxTime { get }

  /// The time since a fixed moment, in nanoseconds, on a clock that cannot be set.
  ///
  /// Operators use differences of it. The default is `now` to the microsecond, which is the
  /// precision of a current `Date`.
  var uptimeNanoseconds: UInt64 { get }

  /// Runs `action` with `state` after `dueTime`; a negative time counts as zero.
  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable

  /// Runs `action` after `startAfter` and then once in every `period`.
  ///
  /// Each run receives the state that the previous run returned. A late run is skipped, not made up
  /// for. The runs end when the result is disposed of.
  func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable
}

extension SchedulerType {
  /// `now` to the microsecond, since 2001; earlier times count backwards from the largest number, and
  /// a time that is not a number is 0.
  public var uptimeNanoseconds: UInt64 {
    let microseconds = (now.timeIntervalSinceReferenceDate * 1e6).rounded()
    if microseconds.isNaN { return 0 }
    // The limit is 285 years.
    return UInt64(bitPattern: Int64(min(max(microseconds, -9e15), 9e15)) * 1_000)
  }

  /// Runs `action` after `startAfter`, and then one `period` after each beginning of a run.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    let state = Ref(state)
    return inTurns(startAfter, by: { scheduleRelative($0, dueTime: $0, action: $1) }) { _, again in
      again(period)
      state.value = action(state.value)
    }
  }

  /// Runs `action` once after `dueTime`.
  @inlinable package func after(_ dueTime: RxTimeInterval, _ action: @escaping () -> Void)
    -> any Disposable
  {
    scheduleRelative((), dueTime: dueTime) {
      action()
      return Disposables.create()
    }
  }
}

extension ImmediateSchedulerType {
  /// Runs `action` with `state`, and again with each state that `action` passes to `recurse`.
  public func scheduleRecursive<State>(
    _ state: State, action: @escaping (_ state: State, _ recurse: @escaping (State) -> Void) -> Void
  ) -> any Disposable { inTurns(state, by: { schedule($0, action: $1) }, action) }
}

/// Runs `action` in turns, which `schedule` schedules; each turn may request the next.
private func inTurns<State>(
  _ first: State,
  by schedule: @escaping (State, @escaping (State) -> any Disposable) -> any Disposable,
  _ action: @escaping (State, @escaping (State) -> Void) -> Void
) -> any Disposable {
  let turns = Turns(schedule, action)
  turns.request(first)
  return turns
}

/// Turns of work, each of which may request the next.
private final class Turns<State>: Lifetime, @unchecked Sendable {
  // The closures are immutable; `requested` has its own lock.
  private let schedule: (State, @escaping (State) -> any Disposable) -> any Disposable
  private let action: (State, @escaping (State) -> Void) -> Void
  /// The thread that is scheduling a turn, or 0.
  private let schedulingThread = Atomic<UInt>(0)
  /// The turns requested inside `schedule`, by a turn that it ran at once.
  private let requested = Locked(Fifo<State>())
  /// Whether there may be such turns: most schedulers run none at once, and take no lock here.
  private let hasRequested = Atomic(false)

  init(
    _ schedule: @escaping (State, @escaping (State) -> any Disposable) -> any Disposable,
    _ action: @escaping (State, @escaping (State) -> Void) -> Void
  ) {
    self.schedule = schedule
    self.action = action
    super.init()
  }

  /// Schedules a turn: now, or after the turn that requests it if the scheduler runs work at once.
  ///
  /// In this way any number of turns needs no deep stack.
  func request(_ state: State) {
    let thread = threadIdentity()
    if schedulingThread.load(ordering: .relaxed) == thread {
      requested.withLock { $0.append(state) }
      return hasRequested.store(true, ordering: .relaxed)
    }
    schedulingThread.store(thread, ordering: .relaxed)
    scheduleTurn(state)
    while hasRequested.load(ordering: .relaxed) {
      guard let next = requested.withLock({ $0.popFirst() }) else { break }
      scheduleTurn(next)
    }
    schedulingThread.store(0, ordering: .relaxed)
  }

  private func scheduleTurn(_ state: State) {
    let turn = Lifetime(parent: self)
    turn.add(
      schedule(state) { state in
        turn.dispose()
        if !self.isDisposed { self.action(state, self.request) }
        return Disposables.create()
      })
  }
}

extension DispatchTimeInterval {
  /// The interval in nanoseconds: zero if negative, the largest number if too large or `.never`.
  @inlinable package var nanoseconds: UInt64 {
    let (count, scale): (Int, UInt64) =
      switch self {
      case .seconds(let count): (count, 1_000_000_000)
      case .milliseconds(let count): (count, 1_000_000)
      case .microseconds(let count): (count, 1_000)
      case .nanoseconds(let count): (count, 1)
      default: (.max, .max)
      }
    let (product, overflow) = UInt64(max(0, count)).multipliedReportingOverflow(by: scale)
    return overflow ? .max : product
  }

  /// The part of this interval that remains at `now` when it began at `start`.
  ///
  /// Both are values of `uptimeNanoseconds`. The result is at least zero, and the whole interval
  /// when the clock has gone back.
  @inlinable package func remaining(since start: UInt64, _ now: UInt64) -> DispatchTimeInterval {
    let passed = UInt64(max(0, Int64(bitPattern: now &- start)))
    return .nanoseconds(Int(clamping: nanoseconds - min(nanoseconds, passed)))
  }
}
