import ReactiveTesting

/// An app, and how it is simulated.
struct SimulatedApp: Sendable {
  let name: String
  /// The time during which faults happen.
  let duration: Duration
  /// Adds the hosts, what their users do, the faults and the conditions.
  let setUp: @Sendable (any AppWorld) throws -> Void

  static let all = [chat, dashboard, tasks, cable, phones, sockets, catalog]

  /// Those that need no fault but those of a network, and write no file.
  static let ofRealSockets = [chat, dashboard, cable, phones]

  /// Runs the app with a seed.
  ///
  /// - Parameter twice: whether it is run twice, and fails when the second run differs from the first one.
  @discardableResult
  func run(seed: UInt64, twice: Bool = false) throws(SimulationFailure) -> Simulation {
    twice
      ? try Simulation.twice(seed: seed, for: duration, setUp)
      : try Simulation(seed: seed, for: duration, setUp)
  }
}
