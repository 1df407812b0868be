import Foundation

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
  /// The current time, by this scheduler's clock.
  var now: RxTime { get }

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
  /// Runs `action` after `startAfter` and then once in every `period`, measured from run to run.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    let lifetime = Lifetime()
    let state = Cell(state)
    func runAfter(_ dueTime: RxTimeInterval) {
      lifetime.withChild { turn in
        turn.add(
          scheduleRelative((), dueTime: dueTime) {
            turn.dispose()
            if lifetime.isDisposed { return Disposables.create() }
            runAfter(period)
            state.value = action(state.value)
            return Disposables.create()
          })
      }
    }
    runAfter(startAfter)
    return lifetime
  }

  /// Runs `action` once after `dueTime`.
  package func after(_ dueTime: RxTimeInterval, _ action: @escaping () -> Void) -> any Disposable {
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
  ) -> any Disposable {
    let lifetime = Lifetime()
    func run(_ state: State) {
      lifetime.withChild { turn in
        turn.add(
          schedule(state) { state in
            turn.dispose()
            if !lifetime.isDisposed { action(state, run) }
            return Disposables.create()
          })
      }
    }
    run(state)
    return lifetime
  }
}

/// Work handed to a scheduler: a lifetime that holds what the work returned.
@usableFromInline package final class ScheduledWork: Lifetime, @unchecked Sendable {
  /// Runs `action`, unless this was disposed of; ends at once when there is nothing to hold.
  @usableFromInline package func run<State>(_ state: State, _ action: (State) -> any Disposable) {
    if isDisposed { return }
    let result = action(state)
    if result is NothingToDispose { dispose() } else { add(result) }
  }
}

/// A value handed from one thread to another, which the first does not touch again.
@usableFromInline struct Transferred<Value>: @unchecked Sendable {
  // The sender gives it up: an element that hops threads is delivered once, to one observer.
  @usableFromInline let value: Value

  @usableFromInline init(_ value: Value) { self.value = value }
}

extension DispatchTimeInterval {
  /// In nanoseconds: zero when negative, the largest number when it does not fit or never comes.
  package var nanoseconds: UInt64 {
    switch self {
    case .seconds(let count): Self.scaled(count, 1_000_000_000)
    case .milliseconds(let count): Self.scaled(count, 1_000_000)
    case .microseconds(let count): Self.scaled(count, 1_000)
    case .nanoseconds(let count): Self.scaled(count, 1)
    default: .max
    }
  }

  /// In seconds.
  package var seconds: TimeInterval {
    switch self {
    case .seconds(let count): TimeInterval(count)
    case .milliseconds(let count): TimeInterval(count) / 1_000
    case .microseconds(let count): TimeInterval(count) / 1_000_000
    case .nanoseconds(let count): TimeInterval(count) / 1_000_000_000
    default: .infinity
    }
  }

  /// The shorter of this and what is left of it after `elapsed` seconds, at least zero.
  package func reduced(by elapsed: TimeInterval) -> DispatchTimeInterval {
    let left = seconds - max(0, elapsed)
    if left <= 0 { return .nanoseconds(0) }
    if left > 1_000_000_000 { return self }
    return .nanoseconds(Int((left * 1_000_000_000).rounded()))
  }

  private static func scaled(_ count: Int, _ factor: UInt64) -> UInt64 {
    guard count > 0 else { return 0 }
    let (product, overflow) = UInt64(count).multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }
}
