import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The threads, the time and the chance of a machine that is simulated; ``current`` while its code runs.
///
/// Whatever of this package would use the threads, the clock or the random numbers of the real machine
/// asks for it first.
package final class HostSystem: @unchecked Sendable {
  // Immutable. The objects in it belong to the thread of the simulation.
  private let operations: any HostOperations
  /// The network and the files, whose protocols other modules have.
  package let services: AnyObject

  package init(_ operations: some HostOperations, services: AnyObject) {
    (self.operations, self.services) = (operations, services)
    Self.areUsed.store(true, ordering: .relaxed)
  }

  // The pointer is that of a host which the code that sets it retains.
  private static let threadSlot = ThreadSlot()

  /// Whether there has been a host in this process: a program has none, and looks no further.
  private static let areUsed = Atomic(false)

  /// The host whose code runs on this thread; nil for the real machine.
  @inline(__always) @usableFromInline package static var current: HostSystem? {
    areUsed.load(ordering: .relaxed) ? ofThread : nil
  }

  @inline(never) private static var ofThread: HostSystem? {
    guard let pointer = threadSlot.pointer else { return nil }
    return Unmanaged<HostSystem>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Runs `body` as code of this host.
  package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withExtendedLifetime(self) {
      try Self.threadSlot.holding(Unmanaged.passUnretained(self).toOpaque()) {
        try MainScheduler.askingHost(body)
      }
    }
  }

  /// Whether code of this host runs on this thread.
  ///
  /// Otherwise `use`, of an object that belongs to the host, is reported to the simulation: another thread
  /// or another host has called, in an order that the simulation does not decide.
  package func admits(_ use: @autoclosure () -> String) -> Bool {
    if Self.current === self { return true }
    operations.refuse(use())
    return false
  }

  /// Whether a composer may make another step; the simulation counts them.
  package func admitsStep() -> Bool { operations.admitsStep() }

  /// Notes that an asynchronous operation has begun, and returns its number.
  package func begin(operation name: String) -> Int { operations.begin(operation: name) }

  /// Notes that the operation with this number has ended.
  package func end(operation number: Int) { operations.end(operation: number) }

  /// Notes an error that nothing handles.
  func note(unhandled error: any Error) { operations.note(unhandled: error) }

  /// Runs tasks that have no executor of their own.
  package var taskExecutor: any TaskExecutor { operations.taskExecutor }

  /// Runs `job` on `queue` after the jobs before it, and after `delay` nanoseconds.
  ///
  /// - Parameter queue: runs its jobs in their order, no global one; nil for jobs in any order.
  package func enqueue(
    on queue: DispatchQueue?, after delay: UInt64 = 0, _ job: @escaping () -> Void
  ) { operations.enqueue(on: queue.map(HostQueue.init), after: delay, job) }

  /// Whether a job of `queue` runs now.
  package func isOn(_ queue: DispatchQueue) -> Bool {
    operations.currentQueue == HostQueue(queue)
  }

  /// Whether jobs of `queue` wait.
  package func hasJobs(on queue: DispatchQueue) -> Bool {
    operations.hasJobs(on: HostQueue(queue))
  }

  /// The time since the beginning of the simulation, in nanoseconds.
  package var uptime: UInt64 { operations.uptime }

  /// The time of day on this host's clock.
  package var date: Date { operations.date }

  /// The next number of the simulation's generator.
  package func random() -> UInt64 { operations.random() }

  /// Runs `action` on `queue` after `delay` nanoseconds, unless the result is disposed of before.
  package func schedule<State>(
    _ state: State, after delay: UInt64, on queue: DispatchQueue,
    action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let work = TimedJob(state, action)
    add(work, after: delay, on: queue)
    return work
  }

  /// Runs `work` on `queue` after `delay`, and then after each of its periods.
  func add(_ work: TimedWork, after delay: UInt64, on queue: DispatchQueue?) {
    enqueue(on: queue, after: min(delay, ScheduledWork.never)) { [self] in
      work.run()
      if work.period > 0, !work.isClosed { add(work, after: work.period, on: queue) }
    }
  }
}

/// A dispatch queue by a number that no other one has had in this process.
///
/// On Linux a `DispatchQueue` is a wrapper, of which one queue may have many, and a later queue may get the address of
/// an earlier one.
package struct HostQueue: Hashable, Sendable {
  private let number: Int

  package init(_ queue: DispatchQueue) {
    number = Self.lastNumber.withLock { last in
      if let known = queue.getSpecific(key: Self.key) { return known }
      last += 1
      queue.setSpecific(key: Self.key, value: last)
      return last
    }
  }

  package static var main: HostQueue { HostQueue(.main) }

  private static let key = DispatchSpecificKey<Int>()
  private static let lastNumber = Locked(0)
}

/// What a simulation does for the code of a host.
package protocol HostOperations: AnyObject {
  var taskExecutor: any TaskExecutor { get }
  var uptime: UInt64 { get }
  var date: Date { get }
  /// The queue whose job runs now; nil for a job of none.
  var currentQueue: HostQueue? { get }
  func enqueue(on queue: HostQueue?, after delay: UInt64, _ job: @escaping () -> Void)
  func hasJobs(on queue: HostQueue) -> Bool
  func random() -> UInt64
  /// Notes an error that nothing on the host handles.
  func note(unhandled error: any Error)
  /// Counts a step of a composer; returns false when it must not be made.
  func admitsStep() -> Bool
  func begin(operation name: String) -> Int
  func end(operation number: Int)
  /// Reports that `use` was made of the host by code that is not its own; called by any thread.
  func refuse(_ use: String)
}

/// Random numbers of the system, or of the simulation whose code uses them.
@usableFromInline package struct HostRandomNumberGenerator: RandomNumberGenerator {
  @usableFromInline package init() {}

  @usableFromInline package mutating func next() -> UInt64 {
    if let host = HostSystem.current { return host.random() }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }

  /// A number from 0 up to, not including, 1.
  @usableFromInline package static func unit() -> Double {
    var generator = HostRandomNumberGenerator()
    return .random(in: 0..<1, using: &generator)
  }
}

extension DispatchQueue {
  /// Runs `job` on this queue, which is no global one; on that of the host whose code calls this.
  @usableFromInline package func enqueue(_ job: @escaping @Sendable () -> Void) {
    if let host = HostSystem.current { return host.enqueue(on: self, job) }
    async(execute: job)
  }
}
