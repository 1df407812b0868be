/// A simulation in which something was wrong.
public struct SimulationFailure: Error, CustomStringConvertible {
  /// The seed that shows it again.
  public let seed: UInt64
  /// The duration of the simulation.
  public let duration: Duration
  /// The hosts, faults and actions of the simulation.
  public let part: SimulationPart
  /// What was wrong.
  public let problem: SimulationProblem
  /// When it was found, since the beginning.
  public let time: Duration
  /// What has happened until then.
  public let story: [SimulationEvent]
  /// The operations of `.run` effects that have not ended, with their hosts and when they have begun: what
  /// they wait for may never arrive, such as the answer of a real thread.
  public let unfinished: [String]

  /// What the run has had, from which the smallest part is chosen.
  struct Extent: Sendable {
    let hosts: [String]
    let faultCount: Int
    let actionCount: Int
  }

  let extent: Extent

  init(_ core: WorldCore, _ duration: Duration, _ problem: SimulationProblem) {
    (seed, part, self.duration, self.problem) = (core.seed, core.part, duration, problem)
    time = .nanoseconds(Int64(core.now))
    story = core.story
    unfinished = core.machines.flatMap { $0.process?.unfinished ?? [] }
    extent = Extent(
      hosts: core.machines.map(\.name), faultCount: core.faultCount,
      actionCount: core.actionCount)
  }

  /// The problem with its seed, the last hundred events of the story, and what has not ended.
  public var description: String {
    let end = story.suffix(100)
    var lines = ["Seed \(seed): \(problem)"]
    if end.count < story.count { lines.append("  \(story.count - end.count) earlier events") }
    lines += end.map { "  \($0)" }
    if !unfinished.isEmpty { lines += ["Not ended:"] + unfinished.map { "  \($0)" } }
    return lines.joined(separator: "\n")
  }

  /// A Swift test that fails in this way until the fault is mended.
  ///
  /// - Parameter setUp: function with the hosts, faults and conditions, such as `Chat.setUp`.
  public func swiftTest(setUp: String) -> String {
    var arguments = ["seed: \(seed)", "for: \(Self.code(duration))"]
    if part != .all { arguments.append("only: \(part)") }
    // Two runs are needed to see that they differ.
    let run = if case .differs = problem { "Simulation.twice" } else { "Simulation" }
    let title = "\(problem)".drop { $0 == "\"" }.prefix { !"\"\n`\\".contains($0) }
    return """
      @Test func `seed \(seed): \(title)`() throws {
        try \(run)(
          \(arguments.joined(separator: ",\n    ")),
          \(setUp))
      }
      """
  }

  /// A duration as Swift code.
  private static func code(_ duration: Duration) -> String {
    let nanoseconds = duration.nanoseconds
    for (name, unit) in [("seconds", 1_000_000_000), ("milliseconds", 1_000_000)] as [(_, UInt64)]
    where nanoseconds.isMultiple(of: unit) {
      return ".\(name)(\(nanoseconds / unit))"
    }
    return ".nanoseconds(\(nanoseconds))"
  }
}
