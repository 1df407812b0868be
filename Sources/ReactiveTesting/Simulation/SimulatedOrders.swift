/// The runs of a small simulation in all orders of its ready jobs.
public struct SimulatedOrders: Hashable, Sendable {
  /// The number of runs, each with an order of its own.
  public let runCount: Int
  /// The number of different values that the states of the simulation have had together.
  public let stateCount: Int
  /// Whether these were all orders.
  public let isComplete: Bool
}

extension Simulation {
  /// Runs a small simulation in all orders in which its ready jobs may run.
  ///
  /// Which effect of several ends first, and which of several messages arrives first, is tried in each way. Their
  /// number grows fast, so that a limit is useful: orders that differ in few choices are run first.
  ///
  /// - Parameters:
  ///   - duration: time of each run, in which no faults happen: the orders of one seed would not cover them.
  ///   - limit: the most runs: 10,000.
  ///   - setUp: adds hosts, conditions and states; called for each run.
  /// - Returns: the number of orders and of states.
  /// - Throws: The failure of the first order that fails; its part has the order.
  @discardableResult
  public static func allOrders(
    for duration: Duration, upTo limit: Int = 10_000, _ setUp: (SimulatedWorld) throws -> Void
  ) throws(SimulationFailure) -> SimulatedOrders {
    var states: Set<[AnyHashable]> = []
    // Those that differ from the first run in few choices come first: they find most of what orders do.
    var waiting = Fifo<[Int]>()
    waiting.append([])
    var runCount = 0
    var isComplete = true
    while let order = waiting.popFirst() {
      if runCount == limit {
        isComplete = false
        break
      }
      var core: WorldCore?
      try Simulation(seed: 0, for: duration, only: SimulationPart(faults: [], order: order)) {
        world in
        try setUp(world)
        core = world.core
        let observed = world.states
        if observed.isEmpty { return }
        world.core.observed = { states.insert(observed.map { $0() }) }
      }
      runCount += 1
      let counts = core?.order.counts ?? []
      // With the choices after the last one that is not the first job.
      for index in counts.indices.dropFirst(order.count) {
        for choice in 1..<counts[index] {
          if waiting.count >= limit {
            isComplete = false
            break
          }
          let zeros = Array(repeating: 0, count: index - order.count)
          waiting.append(order + zeros + [choice])
        }
      }
    }
    return SimulatedOrders(
      runCount: runCount, stateCount: states.count, isComplete: isComplete)
  }
}
