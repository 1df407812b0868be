/// Generates random scenarios; the same seed gives the same scenario.
package struct Generator {
  private var state: UInt64
  private let operators: [[Operator]]

  /// - Parameter operators: the operators that graphs may contain.
  package init(seed: UInt64, operators: [Operator] = Operator.all) {
    state = seed
    self.operators = (0...3).map { inputs in operators.filter { $0.inputs == inputs } }
  }

  package mutating func scenario() -> Scenario {
    let hasShared = chance(of: 3)
    let observers = chance(of: 3) ? 2 : 1
    return Scenario(
      graph: graph(nodes: 1 + below(6), hasShared: hasShared),
      shared: hasShared ? graph(nodes: 1 + below(3), hasShared: false) : nil,
      hots: [events(), events()],
      observers: (0..<observers).map { _ in
        Scenario.Plan(
          subscribesAt: below(8), disposesAt: chance(of: 2) ? Scenario.end : 4 + below(16),
          action: action())
      })
  }

  private mutating func graph(nodes: Int, hasShared: Bool) -> Graph {
    let most = min(3, nodes - 1)
    var inputs = most == 0 ? 0 : 1 + below(most)
    if operators[inputs].isEmpty { inputs = min(1, inputs) }
    var operation = pick(operators[inputs])
    if operation.name == "shared", !hasShared { operation = operators[0][0] }
    // Shared sources find the most faults.
    if inputs == 0, chance(of: 2) {
      let names = hasShared ? ["hot", "subject", "shared"] : ["hot", "subject", "cold"]
      let name = pick(names)
      operation = operators[0].first { $0.name == name } ?? operation
    }
    var rest = nodes - 1
    var graphs: [Graph] = []
    for index in 0..<inputs {
      let left = inputs - 1 - index
      let share = left == 0 ? rest : 1 + below(rest - left)
      graphs.append(graph(nodes: share, hasShared: hasShared))
      rest -= share
    }
    var arguments: [Int] = []
    for parameter in operation.parameters {
      switch parameter {
      case .count(let range), .ticks(let range):
        arguments.append(range.lowerBound + below(range.count))
      case .action: arguments.append(action().number)
      case .events: arguments += events()
      }
    }
    return Graph(operation, arguments, graphs)
  }

  private mutating func action() -> Action {
    Action(number: chance(of: 3) ? below(Action.count) : 0)
  }

  private mutating func events() -> [Int] {
    let ends = below(3)
    return [ends] + (0..<below(5) + (ends > 0 ? 1 : 0)).map { _ in below(4) }
  }

  private mutating func chance(of number: Int) -> Bool { below(number) == 0 }

  private mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

  private mutating func below(_ bound: Int) -> Int {
    // SplitMix64.
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    mixed ^= mixed >> 31
    return Int(mixed % UInt64(bound))
  }
}
