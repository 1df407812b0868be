import TestSupport
import Testing

@testable import Compose

@Suite("RandomSource", .workerPool) struct RandomSourceTests {
  @Test func `a seed has one sequence of numbers`() {
    let numbers = ([1, 1, 2] as [UInt64]).map { seed in
      let source = RandomSource.seeded(seed)
      return (0..<10).map { _ in source.next() }
    }
    #expect(numbers[0] == numbers[1] && numbers[0] != numbers[2])
    var generator = SeededGenerator(seed: 1)
    #expect(numbers[0] == (0..<10).map { _ in generator.next() })
  }

  @Test func `copies draw from one source`() {
    var (source, expected) = (RandomSource.seeded(3), RandomSource.seeded(3))
    var copy = source
    let drawn = (0..<6).map { number in
      number % 2 == 0
        ? Int.random(in: 0..<1_000, using: &source) : Int.random(in: 0..<1_000, using: &copy)
    }
    #expect(drawn == (0..<6).map { _ in Int.random(in: 0..<1_000, using: &expected) })
  }

  @Test func `the system's numbers differ, and fractions are below 1`() {
    let system = RandomSource.system
    #expect(Set((0..<100).map { _ in system.next() }).count > 90)
    for source in [RandomSource { 0 }, RandomSource { .max }, system] {
      #expect((0..<1).contains(source.fraction()))
    }
  }
}
