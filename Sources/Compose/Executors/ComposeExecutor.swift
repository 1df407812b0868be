import Dispatch

/// Where a composer reduces, and the time and threads of its effects.
///
/// ```swift
/// Composed(sending: Session())                    // whoever sends, reduces
/// Composed(sending: Session(), on: .queue(queue)) // reduces on a dispatch queue
/// Composed(sending: Session(), on: .actor(store)) // reduces isolated to an actor
/// ```
///
/// An executor need not keep an order, nor one job from another: a composer asks for one job at a time,
/// and that job reduces all that waits.
public protocol ComposeExecutor: AnyObject, Sendable {
  /// Whether the composer may reduce here and now: what is sent then is reduced before `send` returns.
  var isCurrent: Bool { get }
  /// Runs `job` soon, where the composer reduces.
  func enqueue(_ job: @escaping @Sendable () -> Void)
  /// The clock of effects without a scheduler of their own.
  var scheduler: any SchedulerType { get }
  /// Runs the closures of `.run`; nil, the default, is the global executor.
  var taskExecutor: (any TaskExecutor)? { get }
}

extension ComposeExecutor {
  /// The global executor.
  public var taskExecutor: (any TaskExecutor)? { nil }
}

/// Whoever sends, reduces: on the sender's thread, with no queue and no thread of its own.
///
/// A thread that reduces for others hands over to the global queue after 1,000 of their actions.
public final class CallerRunsExecutor: ComposeExecutor {
  /// The one there is.
  public static let shared = CallerRunsExecutor()

  /// The global queue's clock.
  public let scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(queue: .global())

  /// Always.
  public var isCurrent: Bool { true }
  /// Runs `job` on the global queue.
  public func enqueue(_ job: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(execute: job)
  }
}

/// Reduces on the main queue; what ``Compose`` uses.
public final class MainQueueExecutor: ComposeExecutor {
  /// The one there is.
  public static let shared = MainQueueExecutor()

  /// Whether this is the main queue.
  public var isCurrent: Bool { MainScheduler.isCurrent }
  /// Runs `job` in a later turn of the main queue.
  public func enqueue(_ job: @escaping @Sendable () -> Void) {
    DispatchQueue.main.async(execute: job)
  }
  /// The main queue's clock.
  public var scheduler: any SchedulerType { MainScheduler.instance }
}

/// Reduces on a dispatch queue, serial or not.
public final class QueueExecutor: ComposeExecutor {
  /// The queue's clock.
  public let scheduler: any SchedulerType
  private let queue: DispatchQueue
  private let mark = DispatchSpecificKey<Bool>()

  /// An executor on `queue`.
  public init(_ queue: DispatchQueue) {
    self.queue = queue
    scheduler = ConcurrentDispatchQueueScheduler(queue: queue)
    queue.setSpecific(key: mark, value: true)
  }

  deinit { queue.setSpecific(key: mark, value: nil) }

  /// Whether this is the queue.
  public var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }
  /// Runs `job` on the queue.
  public func enqueue(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }
}

/// Reduces isolated to an actor: never at the same time as the actor's own code.
///
/// The actor lives as long as composers reduce on it. Also what the actor itself sends is reduced later.
public final class ActorExecutor<Isolation: Actor>: ComposeExecutor {
  private let isolation: Isolation

  /// An executor on `isolation`.
  public init(_ isolation: Isolation) { self.isolation = isolation }

  /// Never: whether a thread is isolated to an actor cannot be asked.
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
  /// Whoever sends, reduces.
  public static var callerRuns: CallerRunsExecutor { .shared }
}

extension ComposeExecutor where Self == MainQueueExecutor {
  /// The main queue.
  public static var main: MainQueueExecutor { .shared }
}

extension ComposeExecutor where Self == QueueExecutor {
  /// A dispatch queue.
  public static func queue(_ queue: DispatchQueue) -> QueueExecutor { QueueExecutor(queue) }
}

extension ComposeExecutor {
  /// An actor.
  public static func actor<Isolation: Actor>(_ isolation: Isolation) -> ActorExecutor<Isolation>
  where Self == ActorExecutor<Isolation> { ActorExecutor(isolation) }
}
