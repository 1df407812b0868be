import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The superclass of the schedulers that run work on a dispatch queue.
///
/// Work that waits when the scheduler is released still runs.
public class DispatchQueueScheduler: WorkScheduler, @unchecked Sendable {
  // Immutable; the timers have their own lock.
  let queue: DispatchQueue
  private let isConcurrent: Bool
  private let timers: DispatchTimers

  init(on queue: DispatchQueue, leeway: RxTimeInterval = .seconds(0), isConcurrent: Bool = false) {
    (self.queue, self.isConcurrent) = (queue, isConcurrent)
    timers = DispatchTimers(queue: queue, leeway: leeway, isConcurrent: isConcurrent)
  }

  /// Creates a scheduler that shares the queue and the timer source of `other`.
  init(sharing other: DispatchQueueScheduler) {
    (queue, isConcurrent, timers) = (other.queue, other.isConcurrent, other.timers)
  }

  /// The current time.
  public final var now: RxTime { HostSystem.current?.date ?? Date() }

  /// The system's uptime in nanoseconds, from the clock of `DispatchTime`.
  public final var uptimeNanoseconds: UInt64 {
    HostSystem.current?.uptime ?? DispatchTime.now().uptimeNanoseconds
  }

  /// Runs `action` on the queue.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    if let host = HostSystem.current {
      host.enqueue(on: isConcurrent ? nil : queue) { work.run() }
    } else {
      queue.async { work.run() }
    }
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

  /// Runs `action` on the queue after `startAfter` and then once in every `period`.
  ///
  /// One run takes place at a time.
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

/// Runs work on a serial dispatch queue, one piece after the other, in order.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
  /// Creates a scheduler with its own queue.
  ///
  /// - Parameters:
  ///   - internalSerialQueueName: label of the queue
  ///   - serialQueueConfiguration: changes the queue before its first use; nil by default
  ///   - leeway: delay of timers that the system may add to save power; 0 by default
  public convenience init(
    internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let queue = DispatchQueue(label: internalSerialQueueName)
    serialQueueConfiguration?(queue)
    self.init(on: queue, leeway: leeway)
  }

  /// Creates a scheduler with its own serial queue, which runs on `queue`.
  public convenience init(
    queue: DispatchQueue, internalSerialQueueName: String,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { self.init(on: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway) }

  /// Creates a scheduler with its own serial queue, which runs on the global queue of `qos`.
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
/// Operators deliver one element at a time on it too. The order of elements is kept only by
/// operators that schedule one delivery at a time.
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
  /// Creates a scheduler on `queue`.
  ///
  /// - Parameters:
  ///   - queue: queue that runs the work; usually a concurrent one
  ///   - leeway: delay of timers that the system may add to save power; 0 by default
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    super.init(on: queue, leeway: leeway, isConcurrent: true)
  }

  /// Creates a scheduler with its own concurrent queue, of quality of service `qos`.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    let label = "rx.global_dispatch_queue.concurrent.\(qos)"
    self.init(queue: DispatchQueue(label: label, qos: qos, attributes: .concurrent), leeway: leeway)
  }
}
