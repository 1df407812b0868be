import Foundation
import Synchronization

/// The time of a program under test: it moves only when it is told to.
///
/// Composers that are bound inside ``run(_:)`` take their timers, and the executor of their `.run`
/// effects, from here:
///
/// ```swift
/// let time = VirtualTime()
/// let screen = time.run { Screen() }
/// screen.composer.action.accept(.startTimer)
/// time.advance(by: .seconds(1))
/// ```
///
/// It is the binding that counts: `@Compose var composer = time.run { Search() }` binds outside, so
/// let the owner be made inside. Effects find this clock by themselves; operators that take a
/// scheduler are given `EffectContext.clock`, and `.run` waits by `EffectContext.sleep`.
///
/// A server's composer is given the executor: `Composed(sending: Session(), on: .virtual(time))`.
///
/// Everything runs on the thread that advances, in an order that is the same every time.
public final class VirtualTime: Sendable {
  /// The clock.
  public let scheduler = VirtualTimeScheduler(
    initialClock: 0,
    converter: MicrosecondConverter()
  )
  fileprivate let tasks = ManualTaskExecutor()
  fileprivate let jobs = Locked(Fifo<@Sendable () -> Void>())
  // The thread that made, moved or used this last: the test's.
  private let driver = Atomic(threadIdentity())

  /// A clock that shows zero.
  public init() {}

  /// What composers take over when they are bound.
  public var context: EffectContext { EffectContext(scheduler: scheduler, taskExecutor: tasks) }

  /// How long this clock has run, in seconds.
  public var elapsed: TimeInterval { TimeInterval(scheduler.clock) / 1_000_000 }

  /// Runs `body`; composers bound inside live on this clock.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    takeOver()
    return try EffectContext.$current.withValue(context) { try body() }
  }

  /// Moves the clock on by `interval` and runs everything that is due on the way: timers in order, and
  /// the tasks of `.run` effects as soon as they can go on.
  public func advance(by interval: RxTimeInterval) {
    takeOver()
    let end = scheduler.clock + Int(interval.nanoseconds / 1_000)
    runReady()
    while let next = scheduler.nextTime, next <= end {
      scheduler.advanceTo(max(next, scheduler.clock))
      runReady()
    }
    scheduler.advanceTo(end)
    runReady()
  }

  /// Runs what can run without the clock moving.
  public func settle() { advance(by: .nanoseconds(0)) }

  /// Whether there is nothing to run now, and nothing that becomes due.
  var isIdle: Bool { !hasReady && scheduler.nextTime == nil }

  /// Whether something could run now: after ``settle()`` that is what does not come to rest.
  var hasReady: Bool { tasks.hasReady || !jobs.withLock(\.isEmpty) }

  /// When the next timer is due, in seconds of this clock.
  var nextDue: TimeInterval? { scheduler.nextTime.map { TimeInterval($0) / 1_000_000 } }

  /// Makes the current thread the one that this time runs on.
  func takeOver() { driver.store(threadIdentity(), ordering: .relaxed) }

  fileprivate var isHere: Bool { driver.load(ordering: .relaxed) == threadIdentity() }

  /// Runs what is ready, and what becomes ready by it.
  ///
  /// A task that yields for ever, waiting for something outside, must not keep the test for ever.
  private func runReady() {
    var turns = 0
    while turns < 100_000 {
      if tasks.runNext() {
        turns += 1
      } else if let job = jobs.withLock({ $0.popFirst() }) {
        job()
      } else {
        return
      }
    }
  }
}

/// Reduces on the thread of the test; its effects live in virtual time.
///
/// What is sent from another thread is reduced when time moves or settles.
public final class VirtualExecutor: ComposeExecutor {
  private let time: VirtualTime

  /// An executor in `time`.
  public init(_ time: VirtualTime) { self.time = time }

  /// Whether this is the thread that made, moved or used the time last.
  public var isCurrent: Bool { time.isHere }
  /// Runs `job` when time moves or settles.
  public func enqueue(_ job: @escaping @Sendable () -> Void) {
    time.jobs.withLock { $0.append(job) }
  }
  /// The virtual clock.
  public var scheduler: any SchedulerType { time.scheduler }
  /// Runs tasks when time moves or settles.
  public var taskExecutor: (any TaskExecutor)? { time.tasks }
}

extension ComposeExecutor where Self == VirtualExecutor {
  /// A test's time.
  public static func virtual(_ time: VirtualTime) -> VirtualExecutor { VirtualExecutor(time) }
}

/// Virtual time in microseconds.
public struct MicrosecondConverter: VirtualTimeConverterType {
  /// The real time: the reference date plus the microseconds.
  public func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
    Date(timeIntervalSinceReferenceDate: TimeInterval(virtualTime) / 1_000_000)
  }

  /// The microseconds since the reference date.
  public func convertToVirtualTime(_ time: RxTime) -> Int {
    Int((time.timeIntervalSinceReferenceDate * 1_000_000).rounded())
  }

  /// Seconds.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
    TimeInterval(virtualTimeInterval) / 1_000_000
  }

  /// Microseconds.
  public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int {
    Int((timeInterval * 1_000_000).rounded())
  }

  /// The sum.
  public func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }

  /// By number.
  public func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
  }
}

/// Runs tasks when it is told to, on the caller's thread, in the order they became ready.
final class ManualTaskExecutor: TaskExecutor {
  private let jobs = Locked(Fifo<UnownedJob>())

  var hasReady: Bool { !jobs.withLock(\.isEmpty) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs what became ready first; false when nothing is ready.
  func runNext() -> Bool {
    guard let job = jobs.withLock({ $0.popFirst() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }
}
