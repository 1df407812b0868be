import DifferentialGraphs
import TestSupport
import Testing

@Suite("Differential tests of operator graphs", .workerPool)
struct DifferentialTests {
  /// A smoke test: `.ci/run differential` runs 200,000 graphs, `.ci/run long` 10,000,000.
  @Test(arguments: 0..<4) func `random operator graphs behave like the reference`(_ part: UInt64) {
    let difference = Differential().firstDifference(part * 1_000..<(part + 1) * 1_000)
    #expect(difference == nil, "\(difference.map { "\($0)" } ?? "")")
  }

  @Test(arguments: PlantedFault.allCases)
  func `the differential test finds a planted fault and shrinks it to four nodes`(
    _ fault: PlantedFault
  ) throws {
    let differential = Differential(operators: fault.operators)
    let difference = try #require(differential.firstDifference(0..<20_000))
    #expect(difference.scenario.nodes <= 4, "\(difference)")
  }

  @Test func `the graph generator returns the same graph for the same seed`() {
    let differential = Differential()
    for seed in UInt64(0)..<100 {
      #expect(differential.scenario(seed).swiftCode == differential.scenario(seed).swiftCode)
    }
  }

  @Test func `the graph generator uses more than sixty operators`() {
    let differential = Differential()
    let drawn = (UInt64(0)..<4_000).reduce(into: Set<String>()) {
      $0.formUnion(differential.scenario($1).graph.names)
    }
    #expect(drawn == Set(Operator.all.map(\.name)))
    #expect(drawn.count > 60)
  }
}
