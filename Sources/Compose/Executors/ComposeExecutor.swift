import Dispatch

/// The place where a composer reduces, with the clock and the task executor of its effects.
///
/// ```swift
/// Composed(sending: Session())                    // reduces on the sender's thread
/// Composed(sending: Session(), on: .queue(queue)) // reduces on a dispatch queue
/// Composed(sending: Session(), on: .pool)         // reduces on threads that many composers share
/// Composed(sending: Session(), on: .actor(store)) // reduces isolated to an actor
/// ```
///
/// An executor may run jobs in any order and at the same time: a composer enqueues one job at a
/// time, and that job reduces all queued actions.
public protocol ComposeExecutor: AnyObject, Sendable {
  /// Whether the composer may reduce on the current thread. When true, `send` reduces the action
  /// before it returns.
  var isCurrent: Bool { get }
  /// Runs `job` soon, where the composer reduces.
  func enqueue(_ job: @escaping @Sendable () -> Void)
  /// The clock of effects without a scheduler of their own.
  var scheduler: any SchedulerType { get }
  /// Runs the closures of `.run`; nil, the default, is the global executor.
  var taskExecutor: (any TaskExecutor)? { get }
}

extension ComposeExecutor {
  /// Nil: the global executor.
  public var taskExecutor: (any TaskExecutor)? { nil }
}

/// An executor with a context for the composers that are bound outside of one: a test's.
package protocol ContextualExecutor: ComposeExecutor {
  var context: EffectContext { get }
}

/// Reduces on the sender's thread, with no queue and no thread of its own.
///
/// A thread that has reduced 1,000 actions of other threads moves the remaining actions to the
/// global queue.
public final class CallerRunsExecutor: ComposeExecutor {
  /// The only instance.
  public static let shared = CallerRunsExecutor()

  /// The global queue's clock.
  public let scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(queue: .global())

  /// True on every thread.
  public var isCurrent: Bool { true }
  /// Runs `job` on the global queue.
  public func enqueue(_ job: @escaping @Sendable () -> Void) {
    if let host = HostSystem.current {
      host.enqueue(on: nil, job)
    } else {
      DispatchQueue.global().async(execute: job)
    }
  }
}

/// Reduces on the main queue; ``Compose`` uses it.
public final class MainQueueExecutor: ComposeExecutor {
  /// The only instance.
  public static let shared = MainQueueExecutor()

  /// Whether the current code runs on the main queue.
  public var isCurrent: Bool { MainScheduler.isCurrent }
  /// Runs `job` in a later turn of the main queue.
  public func enqueue(_ job: @escaping @Sendable () -> Void) {
    DispatchQueue.main.enqueue(job)
  }
  /// The main queue's clock.
  public var scheduler: any SchedulerType { MainScheduler.instance }
}

/// Reduces on a dispatch queue, serial or concurrent.
public final class QueueExecutor: ComposeExecutor {
  /// The queue's clock.
  public let scheduler: any SchedulerType
  private let queue: DispatchQueue
  private let key = DispatchSpecificKey<Bool>()

  /// An executor on `queue`.
  public init(_ queue: DispatchQueue) {
    self.queue = queue
    scheduler = ConcurrentDispatchQueueScheduler(queue: queue)
    queue.setSpecific(key: key, value: true)
  }

  deinit { queue.setSpecific(key: key, value: nil) }

  /// Whether the current code runs on the queue.
  public var isCurrent: Bool {
    HostSystem.current?.isOn(queue) ?? DispatchQueue.getSpecific(key: key) ?? false
  }
  /// Runs `job` on the queue.
  public func enqueue(_ job: @escaping @Sendable () -> Void) { queue.enqueue(job) }
}

/// Reduces isolated to an actor: never at the same time as the actor's own code.
///
/// The executor keeps the actor alive. Actions that the actor itself sends are reduced after `send`
/// returns.
public final class ActorExecutor<Isolation: Actor>: ComposeExecutor {
  private let isolation: Isolation

  /// An executor on `isolation`.
  public init(_ isolation: Isolation) { self.isolation = isolation }

  /// Always false: Swift cannot check whether the current thread is isolated to an actor.
  public var isCurrent: Bool { false }
  /// Runs `job` on the actor.
  public func enqueue(_ job: @escaping @Sendable () -> Void) {
    Task(executorPreference: TestProcessExecutor.preference) { [isolation] in
      await Self.run(job, on: isolation)
    }
  }
  /// The global queue's clock.
  public var scheduler: any SchedulerType { CallerRunsExecutor.shared.scheduler }

  private static func run(_ job: () -> Void, on isolation: isolated Isolation) { job() }
}

extension ComposeExecutor where Self == CallerRunsExecutor {
  /// Reduces on the sender's thread.
  public static var callerRuns: CallerRunsExecutor { .shared }
}

extension ComposeExecutor where Self == MainQueueExecutor {
  /// Reduces on the main queue.
  public static var main: MainQueueExecutor { .shared }
}

extension ComposeExecutor where Self == QueueExecutor {
  /// Reduces on a dispatch queue.
  public static func queue(_ queue: DispatchQueue) -> QueueExecutor { QueueExecutor(queue) }
}

extension ComposeExecutor {
  /// Reduces isolated to an actor.
  public static func actor<Isolation: Actor>(_ isolation: Isolation) -> ActorExecutor<Isolation>
  where Self == ActorExecutor<Isolation> { ActorExecutor(isolation) }
}
