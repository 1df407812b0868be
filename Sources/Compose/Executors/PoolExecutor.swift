import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reduces the actions of many composers on a few threads.
///
/// ```swift
/// let sessions = users.map { Composed(sending: Session($0), on: .pool) }
/// ```
///
/// Each composer reduces one action at a time, on any free thread. Ten thousand composers need no
/// more threads than ten. A reducer that blocks keeps a thread from all other composers of the pool,
/// so it must not wait for one of them. A composer that has reduced 1,000 actions goes on behind the
/// composers that wait.
public final class PoolExecutor: ComposeExecutor {
  /// The pool that ``ComposeExecutor/pool`` returns, with a thread for each core of the machine.
  public static let shared = PoolExecutor(width: ProcessInfo.processInfo.activeProcessorCount)

  /// The number of composers that may reduce at the same time.
  public let width: Int
  private let threads = QueueExecutor(DispatchQueue(label: "PoolExecutor", attributes: .concurrent))
  private let jobs = Locked((waiting: Fifo<@Sendable () -> Void>(), running: 0))

  /// A pool of its own, to be shared by several composers.
  ///
  /// - Parameter width: number of composers that may reduce at the same time; at least 1
  public init(width: Int) {
    precondition(width > 0, "PoolExecutor: width is \(width), and must be positive.")
    self.width = width
  }

  /// Whether the current code runs on a thread of this pool.
  public var isCurrent: Bool { threads.isCurrent }

  /// The global queue's clock.
  public var scheduler: any SchedulerType { CallerRunsExecutor.shared.scheduler }

  /// Runs `job` on a thread of the pool, after the jobs that wait.
  public func enqueue(_ job: @escaping @Sendable () -> Void) {
    // Hosts share no threads, and one that crashes leaves no job behind.
    if let host = HostSystem.current { return host.enqueue(on: nil, job) }
    let isThreadFree = jobs.withLock { jobs in
      jobs.waiting.append(job)
      if jobs.running == width { return false }
      jobs.running += 1
      return true
    }
    if isThreadFree { threads.enqueue { [self] in runWaiting() } }
  }

  private func runWaiting() {
    while let job = next() { job() }
  }

  private func next() -> (@Sendable () -> Void)? {
    jobs.withLock { jobs in
      let next = jobs.waiting.popFirst()
      if next == nil { jobs.running -= 1 }
      return next
    }
  }
}

extension ComposeExecutor where Self == PoolExecutor {
  /// Reduces on the threads of a pool that is as wide as the machine has cores.
  ///
  /// All composers that use it share these threads.
  public static var pool: PoolExecutor { .shared }
}
