import Synchronization

/// Concurrent operations of several threads on a stream, repeated in rounds.
struct Scenario: Sendable {
  let name: String
  let makeRound: @Sendable () -> Round

  init(_ name: String, _ makeRound: @escaping @Sendable () -> Round) {
    self.name = name
    self.makeRound = makeRound
  }

  static let all = subjects + sharing + combining + flattening + timing + disposables
}

/// One round of a scenario.
struct Round {
  /// The work of each thread.
  let jobs: [@Sendable () -> Void]
  /// Disposes of the remaining subscriptions after all threads have returned; returns a problem or nil.
  let problem: () -> String?

  init(_ jobs: [@Sendable () -> Void], problem: @escaping () -> String?) {
    self.jobs = jobs
    self.problem = problem
  }
}

/// An object that is counted while it is alive.
class Counted: @unchecked Sendable {
  // Its only state is the atomic count of live objects.
  private static let count = Atomic(0)

  static var live: Int { count.load(ordering: .sequentiallyConsistent) }

  init() { Self.count.add(1, ordering: .relaxed) }

  deinit { Self.count.subtract(1, ordering: .sequentiallyConsistent) }
}

/// An element.
final class Token: Counted, @unchecked Sendable {
  // Immutable.
  let sender: Int
  let number: Int

  init(_ number: Int, from sender: Int = 0) {
    (self.number, self.sender) = (number, sender)
    super.init()
  }
}
