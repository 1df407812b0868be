import Compose
import Dispatch

extension Workload {
  /// Many composers.
  static let composing = [composers, composersTwoThreads]

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

extension Counter {
  fileprivate static func many(_ count: Int) -> [Composed<State, Action>] {
    var composers: [Composed<State, Action>] = []
    composers.reserveCapacity(count)
    for _ in 0..<count { composers.append(Composed(sending: Counter())) }
    return composers
  }
}
