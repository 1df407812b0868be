import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A span of time, as `DispatchTimeInterval` gives it: `.seconds(1)`, `.milliseconds(250)`.
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time.
public typealias RxTime = Date

/// Runs work somewhere: on a queue, a thread, or in a test's virtual time.
@preconcurrency public protocol ImmediateSchedulerType: Sendable {
  /// Runs `action` with `state` as soon as the scheduler can.
  ///
  /// Disposing of the result before it ran means it never runs; disposing of it afterwards disposes
  /// of what `action` returned.
  func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable)
    -> any Disposable
}

/// Runs work somewhere, now or later: the only source of time and threads in the package.
@preconcurrency public protocol SchedulerType: ImmediateSchedulerType {
  /// The current time of day, by this scheduler's clock, which people may set.
  var now: RxTime { get }

  /// The time since a moment that stays the same, in nanoseconds, by a clock that nobody sets.
  ///
  /// Operators take differences of it. The default is `now`, to the microsecond, which is as much as a `Date` of
  /// today can tell apart.
  var uptimeNanoseconds: UInt64 { get }

  /// Runs `action` with `state` after `dueTime`; a negative one counts as zero.
  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable

  /// Runs `action` after `startAfter` and then once in every `period`, with the state that the
  /// previous run returned.
  ///
  /// A run that comes too late is skipped, not made up for. Ends when the result is disposed of.
  func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable
}

extension SchedulerType {
  /// `now`, to the microsecond, since 2001: what comes before is counted backwards from the largest number.
  public var uptimeNanoseconds: UInt64 {
    let microseconds = (now.timeIntervalSinceReferenceDate * 1e6).rounded()
    // 285 years.
    return UInt64(bitPattern: Int64(min(max(microseconds, -9e15), 9e15)) * 1_000)
  }

  /// Runs `action` after `startAfter` and then once in every `period`, measured from run to run.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    let state = Cell(state)
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
  /// Runs `action` with `state`, and again with whatever state it asks for by its second argument,
  /// until it does not ask.
  public func scheduleRecursive<State>(
    _ state: State, action: @escaping (_ state: State, _ recurse: @escaping (State) -> Void) -> Void
  ) -> any Disposable { inTurns(state, by: { schedule($0, action: $1) }, action) }
}

/// Runs `action` in turns that `schedule` sets: each may ask for the next.
private func inTurns<State>(
  _ first: State,
  by schedule: @escaping (State, @escaping (State) -> any Disposable) -> any Disposable,
  _ action: @escaping (State, @escaping (State) -> Void) -> Void
) -> any Disposable {
  let lifetime = Lifetime()
  func run(_ state: State) {
    let turn = Lifetime(parent: lifetime)
    turn.add(
      schedule(state) { state in
        turn.dispose()
        if !lifetime.isDisposed { action(state, run) }
        return Disposables.create()
      })
  }
  run(first)
  return lifetime
}

extension DispatchTimeInterval {
  /// In nanoseconds: zero when negative, the largest number when it does not fit or never comes.
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

  /// How much is left of it, when it runs since `start` and it is `now`: two values of `uptimeNanoseconds`.
  ///
  /// At least zero; all of it when the clock has gone back.
  @inlinable package func left(since start: UInt64, _ now: UInt64) -> DispatchTimeInterval {
    let passed = UInt64(max(0, Int64(bitPattern: now &- start)))
    return .nanoseconds(Int(clamping: nanoseconds - min(nanoseconds, passed)))
  }
}
