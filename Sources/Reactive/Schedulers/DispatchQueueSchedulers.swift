import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs work on a dispatch queue: what its subclasses share.
///
/// Work that waits when the last reference to its scheduler goes still runs.
public class DispatchQueueScheduler: WorkScheduler, @unchecked Sendable {
  // Immutable; the timers have a lock of their own.
  let queue: DispatchQueue
  private let timers: DispatchTimers

  init(on queue: DispatchQueue, leeway: RxTimeInterval = .seconds(0), isConcurrent: Bool = false) {
    self.queue = queue
    timers = DispatchTimers(queue: queue, leeway: leeway, isConcurrent: isConcurrent)
  }

  /// A scheduler on the queue of `other` whose timers fire by the same source.
  init(sharing other: DispatchQueueScheduler) { (queue, timers) = (other.queue, other.timers) }

  /// The current time.
  public final var now: RxTime { Date() }

  /// The system's uptime, by the clock of `DispatchTime`.
  public final var uptimeNanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Runs `action` on the queue.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    queue.async { work.run() }
    return work
  }

  /// Runs `action` on the queue after `dueTime`.
  public final func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = TimedJob(state, action)
    timers.add(work, after: dueTime)
    return work
  }

  /// Runs `action` on the queue after `startAfter` and then once in every `period`, one run at a
  /// time.
  public final func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    let work = PeriodicWork(period, state, action)
    timers.add(work, after: startAfter)
    return work
  }

  var joinsTurns: Bool { true }

  final func add(_ work: TimedWork, after dueTime: RxTimeInterval) {
    timers.add(work, after: dueTime)
  }
}

/// Runs work on a serial dispatch queue: one piece after the other, in order.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
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
    self.init(on: queue, leeway: leeway)
  }

  /// A scheduler with a serial queue of its own that runs on `queue`.
  public convenience init(
    queue: DispatchQueue, internalSerialQueueName: String,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { self.init(on: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway) }

  /// A scheduler with a serial queue of its own that runs on the global queue of `qos`.
  public convenience init(
    qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(
      queue: .global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName,
      leeway: leeway)
  }
}

/// Runs work on a concurrent dispatch queue: pieces may run at the same time, in any order.
///
/// Operators serialise what they deliver, so it is safe everywhere; but order between elements is
/// kept only by operators that hand over one at a time.
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
  /// A scheduler on `queue`.
  ///
  /// - Parameter leeway: how late the system may fire timers to save power; 0 by default.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    super.init(on: queue, leeway: leeway, isConcurrent: true)
  }

  /// A scheduler on a concurrent queue of its own, of quality `qos`.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    let label = "rx.global_dispatch_queue.concurrent.\(qos)"
    self.init(queue: DispatchQueue(label: label, qos: qos, attributes: .concurrent), leeway: leeway)
  }
}
