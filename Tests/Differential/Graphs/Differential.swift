/// Runs scenarios with `Reactive` and with the reference, and compares the results.
package struct Differential {
  /// A scenario with different results.
  package struct Difference: CustomStringConvertible {
    package let seed: UInt64
    /// The scenario after shrinking.
    package let scenario: Scenario

    package var description: String {
      """
      // Seed \(seed), shrunk to \(scenario.nodes) nodes.
      \(scenario.swiftCode)
      // Reactive:
      \(scenario.runByReactive().differences(from: scenario.runByReference()))
      """
    }
  }

  /// The operators that graphs contain.
  package var operators: [Operator]

  package init(operators: [Operator] = Operator.all) { self.operators = operators }

  /// The scenario of a seed.
  package func scenario(_ seed: UInt64) -> Scenario {
    var generator = Generator(seed: seed, operators: operators)
    return generator.scenario()
  }

  /// The difference in the scenario of a seed, or nil.
  package func difference(_ seed: UInt64) -> Difference? {
    let scenario = scenario(seed)
    if scenario.isAgreedUpon { return nil }
    return Difference(seed: seed, scenario: scenario.shrunk { !$0.isAgreedUpon })
  }

  /// The first difference among the scenarios of `seeds`.
  package func firstDifference(_ seeds: Range<UInt64>) -> Difference? {
    for seed in seeds { if let difference = difference(seed) { return difference } }
    return nil
  }
}

extension Scenario {
  package var nodes: Int { graph.count + (shared?.count ?? 0) }

  var isAgreedUpon: Bool { runByReactive() == runByReference() }
}
