import Foundation

/// What an effect finds when it is made or started: the clock and the executor of its composer.
///
/// A composer that is bound inside a context takes it over, which is how a test puts a whole program
/// on virtual time:
///
/// ```swift
/// let time = TestScheduler(initialClock: 0)
/// let context = EffectContext(scheduler: time)
/// let screen = EffectContext.$current.withValue(context) { Screen() }
/// ```
public final class EffectContext: Sendable {
  /// The clock of `.timer` and `.interval` without a scheduler of their own.
  public let scheduler: any SchedulerType
  /// Runs the closures of `.run`; nil is the global executor.
  public let taskExecutor: (any TaskExecutor)?

  /// A context of this clock and executor.
  public init(scheduler: any SchedulerType, taskExecutor: (any TaskExecutor)? = nil) {
    self.scheduler = scheduler
    self.taskExecutor = taskExecutor
  }

  /// The context of the running task.
  @TaskLocal public static var current: EffectContext?

  /// The clock of the composer whose reducer or effect this is, else the main queue's.
  ///
  /// For operators in an effect that take a scheduler:
  /// `.run(queries.debounce(.milliseconds(300), scheduler: EffectContext.clock).map { ... })`.
  public static var clock: any SchedulerType { (here ?? main).scheduler }

  /// Waits for `interval` by the clock of the effect that it is called in; `Task.sleep` waits for real
  /// time, under a test too.
  ///
  /// - Throws: `CancellationError`, when the effect is cancelled meanwhile.
  public static func sleep(_ interval: RxTimeInterval) async throws {
    let clock = (current ?? main).scheduler
    _ = try await Observable<Int>.timer(interval, scheduler: clock).asSingle().value
  }

  /// The main queue's clock and the global executor.
  static let main = EffectContext(scheduler: MainScheduler.instance)

  /// The global queue's clock and the global executor.
  static let global = EffectContext(
    scheduler: ConcurrentDispatchQueueScheduler(queue: .global())
  )

  /// The context of the reducer that runs on this thread, or of the running task.
  static var here: EffectContext? {
    if let reducing = reducing.pointer {
      return Unmanaged<EffectContext>.fromOpaque(reducing).takeUnretainedValue()
    }
    return current
  }

  /// Whether a reducer runs on this thread.
  static var isReducing: Bool { reducing.pointer != nil }

  // A thread-local costs a tenth of a task-local, and every action sets it. What it points to is
  // held by the store whose reducer runs.
  private static let reducing = ThreadSlot()

  /// Makes this the context of the reducer that runs next; returns the one before, for `leave`.
  @usableFromInline
  func enter() -> UnsafeMutableRawPointer? {
    let before = Self.reducing.pointer
    Self.reducing.pointer = Unmanaged.passUnretained(self).toOpaque()
    return before
  }

  @usableFromInline
  func leave(_ before: UnsafeMutableRawPointer?) { Self.reducing.pointer = before }
}
