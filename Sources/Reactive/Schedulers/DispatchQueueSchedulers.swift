import Foundation

/// Runs work on a serial dispatch queue: one piece after the other, in order.
public class SerialDispatchQueueScheduler: SchedulerType, @unchecked Sendable {
  // Immutable; the timers have a lock of their own.
  let queue: DispatchQueue
  private let timers: DispatchTimers

  init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval) {
    queue = serialQueue
    timers = DispatchTimers(queue: serialQueue, leeway: leeway)
  }

  /// A scheduler with a queue of its own.
  ///
  /// - Parameters:
  ///   - internalSerialQueueName: the queue's label.
  ///   - serialQueueConfiguration: changes the queue before it is used.
  ///   - leeway: how late the system may fire timers to save power; 0 by default.
  public convenience init(
    internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let queue = DispatchQueue(label: internalSerialQueueName)
    serialQueueConfiguration?(queue)
    self.init(serialQueue: queue, leeway: leeway)
  }

  /// A scheduler with a serial queue of its own that runs on `queue`.
  public convenience init(
    queue: DispatchQueue, internalSerialQueueName: String,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let serialQueue = DispatchQueue(label: internalSerialQueueName, target: queue)
    self.init(serialQueue: serialQueue, leeway: leeway)
  }

  /// A scheduler with a serial queue of its own that runs on the global queue of `qos`.
  public convenience init(
    qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(
      queue: .global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName,
      leeway: leeway)
  }

  /// The current time.
  public final var now: RxTime { Date() }

  /// Runs `action` on the queue as soon as the work before it is done.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { queue.perform(state, action) }

  /// Runs `action` on the queue after `dueTime`.
  public final func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { timers.perform(state, after: dueTime, action) }

  /// Runs `action` on the queue after `startAfter` and then once in every `period`.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable { timers.perform(state, after: startAfter, every: period, action) }
}

/// Runs work on a concurrent dispatch queue: pieces may run at the same time, in any order.
///
/// Operators serialise what they deliver, so it is safe everywhere; but order between elements is
/// kept only by operators that hand over one at a time.
public final class ConcurrentDispatchQueueScheduler: SchedulerType {
  let queue: DispatchQueue
  private let timers: DispatchTimers

  /// A scheduler on `queue`.
  ///
  /// - Parameter leeway: how late the system may fire timers to save power; 0 by default.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.queue = queue
    let clock = DispatchQueue(label: "rx.concurrent_dispatch_queue.timers", target: queue)
    timers = DispatchTimers(queue: clock, leeway: leeway) { entry in queue.async { entry.fire() } }
  }

  /// A scheduler on a concurrent queue of its own, of quality `qos`.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    let label = "rx.global_dispatch_queue.concurrent.\(qos)"
    self.init(queue: DispatchQueue(label: label, qos: qos, attributes: .concurrent), leeway: leeway)
  }

  /// The current time.
  public var now: RxTime { Date() }

  /// Runs `action` on the queue.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { queue.perform(state, action) }

  /// Runs `action` on the queue after `dueTime`.
  public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { timers.perform(state, after: dueTime, action) }

  /// Runs `action` on the queue after `startAfter` and then once in every `period`, one run at a
  /// time.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    let gate = Gate()
    let state = Cell(state)
    let step = gate.guarded { state.value = action(state.value) }
    return timers.schedule(after: startAfter, every: period) { step(()) }
  }
}

extension DispatchQueue {
  /// Runs `action` on the queue, unless the result is disposed of first.
  func perform<State>(_ state: State, _ action: @escaping (State) -> any Disposable)
    -> any Disposable
  {
    let work = ScheduledWork()
    let job = Transferred { work.run(state, action) }
    async { job.value() }
    return work
  }
}

extension DispatchTimers {
  func perform<State>(
    _ state: State, after dueTime: RxTimeInterval, _ action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledWork()
    let entry = schedule(after: dueTime) { work.run(state, action) }
    if !work.isClosed { work.add(entry) }
    return work
  }

  func perform<State>(
    _ state: State, after startAfter: RxTimeInterval, every period: RxTimeInterval,
    _ action: @escaping (State) -> State
  ) -> any Disposable {
    let state = Cell(state)
    return schedule(after: startAfter, every: period) { state.value = action(state.value) }
  }
}
