import Foundation
import Synchronization

/// Threads that start their jobs at the same time.
final class WorkerThreads: @unchecked Sendable {
  // `jobs` is written by the caller of `run` while no thread works: `generation` and `working` order that.
  private var jobs: [@Sendable () -> Void] = []
  private let generation = Atomic(0)
  private let working = Atomic(0)
  private let count: Int

  init(count: Int) {
    self.count = count
    for index in 0..<count { Thread.detachNewThread { [self] in work(index) } }
  }

  /// Runs each job on its own thread, and returns when all have returned.
  func run(_ jobs: [@Sendable () -> Void]) {
    precondition(jobs.count <= count, "\(jobs.count) jobs for \(count) threads")
    self.jobs = jobs
    working.store(count, ordering: .relaxed)
    generation.add(1, ordering: .releasing)
    while working.load(ordering: .acquiring) > 0 { sched_yield() }
    self.jobs = []
  }

  private func work(_ index: Int) {
    var done = 0
    while true {
      while generation.load(ordering: .acquiring) == done { sched_yield() }
      done += 1
      autoreleased { if index < jobs.count { jobs[index]() } }
      working.subtract(1, ordering: .releasing)
    }
  }

  private func autoreleased(_ body: () -> Void) {
    #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
    #else
    body()
    #endif
  }
}
