import Foundation

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
/// Everything runs on the thread that advances, in an order that is the same every time.
public final class VirtualTime: Sendable {
  /// The clock.
  public let scheduler = VirtualTimeScheduler(
    initialClock: 0,
    converter: MicrosecondConverter()
  )
  private let tasks = ManualTaskExecutor()

  /// A clock that shows zero.
  public init() {}

  /// What composers take over when they are bound.
  public var context: EffectContext { EffectContext(scheduler: scheduler, taskExecutor: tasks) }

  /// How long this clock has run, in seconds.
  public var elapsed: TimeInterval { TimeInterval(scheduler.clock) / 1_000_000 }

  /// Runs `body`; composers bound inside live on this clock.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try EffectContext.$current.withValue(context) { try body() }
  }

  /// Moves the clock on by `interval` and runs everything that is due on the way: timers in order, and
  /// the tasks of `.run` effects as soon as they can go on.
  public func advance(by interval: RxTimeInterval) {
    let end = scheduler.clock + Int(interval.nanoseconds / 1_000)
    tasks.runReady()
    while let next = scheduler.nextTime, next <= end {
      scheduler.advanceTo(max(next, scheduler.clock))
      tasks.runReady()
    }
    scheduler.advanceTo(end)
    tasks.runReady()
  }

  /// Runs what can run without the clock moving.
  public func settle() { advance(by: .nanoseconds(0)) }
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
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs what is ready, and what becomes ready by it.
  func runReady() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
