import Synchronization

/// What threads do to a stream at the same time, round after round.
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
  /// What each thread does.
  let jobs: [@Sendable () -> Void]
  /// Ends the subscriptions that are left when all threads have returned, and returns what is wrong, or nil.
  let problem: () -> String?

  init(_ jobs: [@Sendable () -> Void], problem: @escaping () -> String?) {
    self.jobs = jobs
    self.problem = problem
  }
}

/// An object that is counted while it is alive.
class Counted: @unchecked Sendable {
  // Has no state but the atomic count of all of them.
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
