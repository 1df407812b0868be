import Foundation

/// Runs a few threads in every order of their steps, up to a maximum number of preemptions.
///
/// A step is the code of a thread between two operations on atomics or locks. One thread runs at a
/// time. Before each operation the explorer decides which thread continues. Each run decides
/// differently until all orders were tried, depth first. A preemption suspends a thread that could
/// continue. After a thread waits for a lock, yields or ends, each of the others follows. Memory is
/// sequentially consistent; ThreadSanitizer checks weaker orders.
///
/// The module contains the sources of `Reactive`, compiled with the `Atomic` and `Mutex` of this folder.
package final class Explorer: @unchecked Sendable {
  // One thread runs at a time, an explored or the exploring one. It owns all properties, and passes
  // them on with a signal.

  /// The result of an exploration.
  package struct Result: Sendable {
    /// The number of explored orders.
    package var runs = 0
    /// The failure of the last order with the order of its threads; nil without a failure.
    package var failure: String?
  }

  /// Threads to run, and a check after their end.
  package struct Scenario {
    let threads: [() -> Void]
    let check: () -> String?

    /// - Parameter check: returns a description of a failure, or nil.
    package init(_ threads: [() -> Void], check: @escaping () -> String?) {
      self.threads = threads
      self.check = check
    }
  }

  /// The explorer that runs, or nil; only one runs at a time.
  nonisolated(unsafe) static var current: Explorer?

  private enum Status: Equatable {
    case ready
    /// Until another thread has made a step.
    case yielding
    case waiting(for: UnsafeMutableRawPointer)
    case ended
  }

  private struct Decision {
    let options: Int
    var taken = 0
  }

  private final class Worker {
    let turn = WakeUp()
    var identity: UInt = 0
    var body: () -> Void = {}
    var status = Status.ended
  }

  private let preemptionLimit: Int
  private let isOver = WakeUp()
  private var workers: [Worker] = []
  private var running = 0
  private var decisions: [Decision] = []
  private var decided = 0
  private var preemptions = 0
  private var steps = 0
  /// Whether the running thread has made a step since it was resumed.
  private var hasMoved = false
  private var trace: [Int] = []
  private var failure: String?

  private static let stepLimit = 10_000

  private init(preemptions: Int) { preemptionLimit = preemptions }

  /// Tries every order of the threads of a new scenario for each order; ends with the first failure.
  package static func explore(
    preemptions: Int, _ scenario: () -> Scenario
  ) -> Result {
    let explorer = Explorer(preemptions: preemptions)
    var result = Result()
    repeat {
      result.runs += 1
      result.failure = explorer.run(scenario())
      if result.failure != nil { break }
    } while explorer.advance()
    explorer.stop()
    return result
  }

  /// Selects the next order; returns false when all orders were tried.
  private func advance() -> Bool {
    while let last = decisions.last {
      if last.taken + 1 < last.options {
        decisions[decisions.count - 1].taken += 1
        return true
      }
      decisions.removeLast()
    }
    return false
  }

  private func run(_ scenario: Scenario) -> String? {
    (decided, preemptions, steps, trace, failure) = (0, 0, 0, [], nil)
    while workers.count < scenario.threads.count { start(Worker()) }
    for (worker, body) in zip(workers, scenario.threads) {
      worker.body = body
      worker.status = .ready
    }
    Self.current = self
    hand(to: workers.indices[decide(among: workers.count, isPreemption: false)])
    isOver.wait()
    Self.current = nil
    for worker in workers { worker.body = {} }
    return (failure ?? scenario.check()).map { "\($0); the threads ran in the order \(trace)" }
  }

  private func start(_ worker: Worker) {
    let index = workers.count
    workers.append(worker)
    let hasBegun = WakeUp()
    nonisolated(unsafe) let own = worker
    let thread = Thread {
      own.identity = threadIdentity()
      hasBegun.signal()
      while true {
        own.turn.wait()
        if own.status == .ended { return }
        own.body()
        own.status = .ended
        self.leave(index)
      }
    }
    thread.stackSize = 1 << 20
    thread.start()
    hasBegun.wait()
  }

  private func stop() {
    // After a failure a thread may wait forever; it is not stopped.
    for worker in workers where worker.status == .ended { worker.turn.signal() }
  }

  // MARK: Called by the threads

  /// Whether the caller is an explored thread.
  static var isExploring: Bool {
    guard let current else { return false }
    return current.workers[current.running].identity == threadIdentity()
  }

  /// Marks a step before an operation.
  static func step() { if isExploring, let current { current.step() } }

  private func step() {
    steps += 1
    if steps > Self.stepLimit { fail("still running after \(Self.stepLimit) steps") }
    if hasMoved { wakeYielding() }
    let others = ready(but: running)
    if !others.isEmpty, preemptions < preemptionLimit {
      let choice = decide(among: others.count + 1, isPreemption: true)
      if choice > 0 { pass(to: others[choice - 1]) }
    }
    hasMoved = true
  }

  /// Lets other threads run first.
  static func yield() {
    guard isExploring, let current else { return }
    current.steps += 1
    if current.steps > stepLimit { current.fail("still waiting after \(stepLimit) steps") }
    let me = current.workers[current.running]
    me.status = .yielding
    let others = current.ready(but: current.running)
    if others.isEmpty { return me.status = .ready }
    current.pass(to: others[current.decide(among: others.count, isPreemption: false)])
  }

  private func wakeYielding() {
    for worker in workers where worker.status == .yielding { worker.status = .ready }
  }

  /// Lets other threads run until `lock` is released.
  static func wait(for lock: UnsafeMutableRawPointer) {
    guard isExploring, let current else { return }
    let me = current.running
    current.workers[me].status = .waiting(for: lock)
    let others = current.ready(but: me)
    if others.isEmpty { current.fail("every thread waits for a lock") }
    current.pass(to: others[current.decide(among: others.count, isPreemption: false)])
  }

  static func released(_ lock: UnsafeMutableRawPointer) {
    guard let current else { return }
    for worker in current.workers where worker.status == .waiting(for: lock) {
      worker.status = .ready
    }
  }

  private func leave(_ index: Int) {
    wakeYielding()
    let others = ready(but: index)
    if others.isEmpty {
      if workers.contains(where: { $0.status != .ended }) { failure = "every thread waits" }
      isOver.signal()
    } else {
      hand(to: others[decide(among: others.count, isPreemption: false)])
    }
  }

  private func ready(but index: Int) -> [Int] {
    workers.indices.filter { $0 != index && workers[$0].status == .ready }
  }

  private func pass(to index: Int) {
    let me = running
    hand(to: index)
    workers[me].turn.wait()
  }

  private func hand(to index: Int) {
    running = index
    hasMoved = false
    workers[index].status = .ready
    trace.append(index)
    workers[index].turn.signal()
  }

  /// Returns the option to take: the option of the previous run, up to the decision that changes.
  private func decide(among options: Int, isPreemption: Bool) -> Int {
    guard options > 1 else { return 0 }
    if decided == decisions.count { decisions.append(Decision(options: options)) }
    let decision = decisions[decided]
    decided += 1
    if decision.options != options { fail("a run that was repeated went another way") }
    if isPreemption, decision.taken > 0 { preemptions += 1 }
    return decision.taken
  }

  /// Ends the exploration; does not return.
  private func fail(_ failure: String) {
    self.failure = failure
    isOver.signal()
    while true { Thread.sleep(forTimeInterval: 1000) }
  }
}

/// A counting semaphore that ThreadSanitizer supports.
private final class WakeUp: @unchecked Sendable {
  // `condition` protects `count`.
  private let condition = NSCondition()
  private var count = 0

  func signal() {
    condition.lock()
    count += 1
    condition.signal()
    condition.unlock()
  }

  func wait() {
    condition.lock()
    while count == 0 { condition.wait() }
    count -= 1
    condition.unlock()
  }
}
