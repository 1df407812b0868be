/// A part of a simulation: the hosts, faults and actions that are there, and the order of jobs.
///
/// ``Simulation/smallest(_:within:_:)`` finds a small one that fails, and
/// ``Simulation/allOrders(for:upTo:_:)`` an order that does.
public struct SimulationPart: Hashable, Sendable {
  /// The names of the hosts that are there; nil for all.
  ///
  /// The others are switched off.
  public var hosts: Set<String>?
  /// The numbers of the faults that happen, as in the story; nil for all.
  public var faults: Set<Int>?
  /// The numbers of the actions that run; nil for all.
  ///
  /// Actions are the closures of ``SimulatedWorld/after(_:_:)`` and ``SimulatedWorld/every(_:_:)``, which are
  /// numbered in the order of their times. A run with a part has them in its story.
  public var actions: Set<Int>?

  /// Which of the ready jobs runs next, at each choice; nil when the seed decides.
  ///
  /// The first one runs after the last choice. What is sent at one moment arrives at one moment then.
  public var order: [Int]?

  /// The whole simulation.
  public static let all = SimulationPart()

  /// Creates a part.
  ///
  /// - Parameters:
  ///   - hosts: names of the hosts that are there: all.
  ///   - faults: numbers of the faults that happen: all.
  ///   - actions: numbers of the actions that run: all.
  ///   - order: choices among the ready jobs: those of the seed.
  public init(
    hosts: Set<String>? = nil, faults: Set<Int>? = nil, actions: Set<Int>? = nil,
    order: [Int]? = nil
  ) { (self.hosts, self.faults, self.actions, self.order) = (hosts, faults, actions, order) }
}

extension SimulationPart: CustomStringConvertible {
  /// The part as Swift code.
  public var description: String {
    let arguments = [
      hosts.map { "hosts: \($0.sorted())" }, faults.map { "faults: \($0.sorted())" },
      actions.map { "actions: \($0.sorted())" }, order.map { "order: \($0)" },
    ]
    return "SimulationPart(\(arguments.compactMap(\.self).joined(separator: ", ")))"
  }
}
