import Foundation
import Synchronization

/// The time of a program under test: it moves only when the test advances it.
///
/// A composer that is bound inside ``run(_:)`` uses this clock for its timers, and this task
/// executor for its `.run` effects:
///
/// ```swift
/// let time = VirtualTime()
/// let screen = time.run { Screen() }
/// screen.composer.action.accept(.startTimer)
/// time.advance(by: .seconds(1))
/// ```
///
/// The composer must be bound inside the closure. `@Compose var composer = time.run { Search() }`
/// binds outside it: create the owner inside instead. Effects use this clock without further code.
/// Operators that need a scheduler receive `EffectContext.clock`, and `.run` closures wait by
/// `EffectContext.sleep`.
///
/// A server's composer receives the executor: `Composed(sending: Session(), on: .virtual(time))`.
///
/// Everything runs on the thread that advances the time, in an order that is the same in every run.
public final class VirtualTime: Sendable {
  /// The clock.
  public var scheduler: VirtualTimeScheduler<MicrosecondConverter> { clock }
  let clock: VirtualClock
  let tasks: ManualTaskExecutor
  private let jobs = Locked(Fifo<@Sendable () -> Void>())
  // The thread that created, advanced or used this time last.
  private let currentThread = Atomic(threadIdentity())
  private let test: RunningTest
  /// The dependencies and the task executor, for composers that are bound in this context.
  public let context: EffectContext

  /// A clock that shows zero.
  ///
  /// ```swift
  /// let time = VirtualTime { $0.library.titles = { _ in ["Walden"] } }
  /// ```
  ///
  /// - Parameters:
  ///   - file: file that the failure of a dependency is reported in; that of the call by default.
  ///   - line: line that it is reported at; that of the call by default.
  ///   - change: injects dependencies. The others have the values that their keys declare for
  ///     tests.
  public init(
    file: StaticString = #filePath, line: UInt = #line,
    _ change: (inout Dependencies) -> Void = { _ in }
  ) {
    let clock = VirtualClock()
    self.clock = clock
    tasks = ManualTaskExecutor(onEnqueue: clock.wake)
    test = RunningTest { reportFailure($0, file: file, line: line) }
    var dependencies = Dependencies(in: test)
    dependencies.clock = clock
    change(&dependencies)
    context = EffectContext(dependencies, tasks)
  }

  deinit { clock.end() }

  /// The context of a composer under test, whose failures are passed to `onFailure`.
  ///
  /// - Parameter change: changes the dependencies of this time.
  func testContext(
    _ change: (inout Dependencies) -> Void, onFailure: @escaping @Sendable (String) -> Void
  ) -> EffectContext {
    var dependencies = context.dependencies
    dependencies.test = RunningTest(sharing: test, onFailure)
    change(&dependencies)
    return EffectContext(dependencies, tasks) { problem in
      switch problem {
      // An unimplemented dependency has already failed the test.
      case .effectFailed(let error, _, _) where error is UnimplementedError,
        .stateEffectFailed(let error, _, _) where error is UnimplementedError:
        break
      default: onFailure("\(problem)")
      }
    }
  }

  /// The seconds by which this clock has been advanced.
  public var elapsed: TimeInterval { TimeInterval(scheduler.clock) / 1_000_000 }

  /// Runs `body`.
  ///
  /// Composers that are bound inside it use this clock.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    moveToCurrentThread()
    return try EffectContext.$current.withValue(context) { try body() }
  }

  /// Advances the clock by `interval`.
  ///
  /// Runs due timers in order, and the tasks of `.run` effects as soon as they can continue. Timers that
  /// are due at one moment without end, such as a retry without delay, fail the test; the clock stays
  /// there.
  ///
  /// An inspector may pause the clock. This then blocks the thread before it moves the clock to a later
  /// moment, until the inspector steps or resumes it, and runs work that becomes ready meanwhile.
  public func advance(by interval: Duration) {
    moveToCurrentThread()
    let end = clock.clock + interval.microseconds
    runReadyWork()
    var moment = (time: clock.clock, turns: 0)
    while true {
      let now = clock.clock
      let next = clock.nextTime.map { max($0, now) }
      let target = min(next ?? .max, max(end, now))
      switch clock.pass(from: now, to: target, nextDue: next) {
      case .wait(let commands):
        clock.wait(afterCommands: commands) { hasReadyWork }
        runReadyWork()
      case .move(let time) where time == next:
        moment = (time, time == moment.time ? moment.turns + 1 : 0)
        let isDone = clock.advanceTo(time, addingAtMost: 100_000)
        if !isDone || moment.turns > 100_000 { return failForEndlessTimers() }
        runReadyWork()
      case .move(let time):
        clock.advanceTo(time)
        runReadyWork()
        if time >= end { return }
      }
    }
  }

  private func failForEndlessTimers() {
    test.fail(
      """
      At \(elapsed) s, 100,000 timers have been added and run, and others are due: an effect or an \
      operator schedules itself again without delay. Give it a delay, or a number of attempts.
      """)
  }

  /// Runs all work that is ready at the current time.
  public func settle() { advance(by: .zero) }

  /// Whether no work is ready and no timer is scheduled.
  var isIdle: Bool { !hasReadyWork && scheduler.nextTime == nil }

  /// Whether work is ready.
  ///
  /// After ``settle()``, that is work that enqueues itself again without end.
  var hasReadyWork: Bool { tasks.hasReadyJobs || !jobs.withLock(\.isEmpty) }

  /// The time of the next timer, in seconds of this clock.
  var nextDue: TimeInterval? { scheduler.nextTime.map { TimeInterval($0) / 1_000_000 } }

  /// Makes the current thread the one that this time runs on.
  func moveToCurrentThread() { currentThread.store(threadIdentity(), ordering: .relaxed) }

  /// Whether the current thread created, advanced or used this time last.
  var isOnCurrentThread: Bool { currentThread.load(ordering: .relaxed) == threadIdentity() }

  /// Runs `job` when the time advances or settles.
  func enqueue(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
    clock.wake()
  }

  /// Runs ready work until none is left.
  ///
  /// Stops after 100,000 jobs of tasks: a task that yields in a loop must not block the test for
  /// ever.
  private func runReadyWork() {
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
