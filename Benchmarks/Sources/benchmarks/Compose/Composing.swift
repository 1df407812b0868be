import Compose
import Dispatch
import Foundation

extension Workload {
  /// Many composers.
  static let composing = [composers, composersTwoThreads, pool]

  private static let composers = Workload(
    "compose/composers",
    "10,000 composers made, sent one action each and released; live is bytes per composer",
    operations: 10_000,
    gates: [.keepsNothing(after: 10_000), .stored(.allocations), .stored(.live)],
    targets: [.bytes(730)]
  ) {
    { count in
      let composers = Counter.many(count)
      for composer in composers { composer.send(.increment) }
      return composers.reduce(0) { $0 + $1.state.count }
    }
  }

  private static let pool = Workload(
    "compose/pool",
    "10,000 composers on one pool made, sent one action each and released; at most 4 threads more "
      + "than cores, or it stops",
    operations: 10_000,
    gates: [.allocations(32)]
  ) {
    { count in
      let before = threadCount()
      let composers = (0..<count).map { _ in Composed(sending: Counter(), on: .pool) }
      for composer in composers { composer.send(.increment) }
      while composers.contains(where: { $0.state.count == 0 }) { usleep(100) }
      let added = threadCount() - before
      let cores = ProcessInfo.processInfo.activeProcessorCount
      precondition(added <= cores + 4, "\(added) threads for \(cores) cores")
      return composers.reduce(0) { $0 + $1.state.count }
    }
  }

  private static let composersTwoThreads = Workload(
    "compose/composersTwoThreads",
    "an action for one of 10,000 composers, of one of two threads, CPU of both",
    operations: 200_000,
    targets: [.nanoseconds(226)]
  ) {
    let composers = Counter.many(10_000)
    return { count in
      let before = composers.reduce(0) { $0 + $1.state.count }
      DispatchQueue.concurrentPerform(iterations: 2) { _ in
        for index in 0..<count / 2 { composers[index % 10_000].send(.increment) }
      }
      return composers.reduce(0) { $0 + $1.state.count } - before
    }
  }
}

/// The number of threads of this process; 0 where it is unknown.
private func threadCount() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}

extension Counter {
  fileprivate static func many(_ count: Int) -> [Composed<State, Action>] {
    var composers: [Composed<State, Action>] = []
    composers.reserveCapacity(count)
    for _ in 0..<count { composers.append(Composed(sending: Counter())) }
    return composers
  }
}
