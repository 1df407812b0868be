import DifferentialGraphs
import TestSupport
import Testing

@Suite("Graphs of operators, run by Reactive and by the reference", .workerPool)
struct DifferentialTests {
  /// A smoke: `.ci/run differential` runs 200,000, `.ci/run long` 10,000,000.
  @Test(arguments: 0..<4) func `graphs do what the reference says`(_ part: UInt64) {
    let difference = Differential().firstDifference(part * 1_000..<(part + 1) * 1_000)
    #expect(difference == nil, "\(difference.map { "\($0)" } ?? "")")
  }

  @Test(arguments: PlantedFault.allCases)
  func `a planted fault is found, and shrunk to a graph of at most four nodes`(
    _ fault: PlantedFault
  ) throws {
    let differential = Differential(operators: fault.operators)
    let difference = try #require(differential.firstDifference(0..<20_000))
    #expect(difference.scenario.nodes <= 4, "\(difference)")
  }

  @Test func `the same seed draws the same graph`() {
    let differential = Differential()
    for seed in UInt64(0)..<100 {
      #expect(differential.scenario(seed).swiftCode == differential.scenario(seed).swiftCode)
    }
  }

  @Test func `graphs are drawn from more than sixty operators`() {
    let differential = Differential()
    let drawn = (UInt64(0)..<4_000).reduce(into: Set<String>()) {
      $0.formUnion(differential.scenario($1).graph.names)
    }
    #expect(drawn == Set(Operator.all.map(\.name)))
    #expect(drawn.count > 60)
  }
}
