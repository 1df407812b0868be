import Foundation
import TestSupport
import Testing

@testable import Compose
@testable import Inspector

@Suite("LogContents", .workerPool)
struct LogContentsTests {
  /// An event as a plain list has it.
  private struct Expected {
    let number: Int
    let source: Int
    /// The number of the step; nil for an event of an effect.
    let step: Int?
  }

  @Test(arguments: 0..<(isSanitized ? 2 : 8))
  func `the events, steps and states of one source are those that a search of all finds`(seed: Int)
  {
    var random = SeededGenerator(seed: UInt64(seed))
    let log = EventLog(byteLimit: .max)
    let records = (0..<5).map { index in
      log.add {
        ComposerRecord(
          ComposerTypes(), name: "\(index)", typeName: "Composer", number: $0, in: log, at: .now)
      }
    }
    var expected: [Expected] = []
    var stepCounts = Array(repeating: 0, count: records.count)
    for number in 1...3_000 {
      // The last one is rare.
      let index =
        Int.random(in: 0..<200, using: &random) == 0 ? 4 : Int.random(in: 0..<4, using: &random)
      if Bool.random(using: &random) {
        stepCounts[index] += 1
        let step = TypedStep<Int, String>.make(
          number: stepCounts[index], source: .outside, actions: .one("a"), change: nil,
          state: number)
        #expect(
          log.append(.step(step), of: records[index], at: .now, bytes: 1, keepsSource: false)
            == number)
        expected.append(Expected(number: number, source: index, step: step.number))
      } else {
        log.append(
          .effect(.ended(1, EffectEnd(outcome: .completed), .none)), of: records[index], at: .now,
          bytes: 1, keepsSource: false)
        expected.append(Expected(number: number, source: index, step: nil))
      }
    }
    log.drop(to: 3_000 - seed * 400)
    let events = log.events
    #expect(events == (1 + seed * 400)..<3_001)
    expected.removeAll { !events.contains($0.number) }
    for (index, record) in records.enumerated() {
      let own = expected.filter { $0.source == index }
      for _ in 0..<200 {
        let (a, b) = (
          Int.random(in: 0..<3_100, using: &random), Int.random(in: 0..<3_100, using: &random)
        )
        let range = min(a, b)...max(a, b)
        let wanted = Int.random(in: 0..<(stepCounts[index] + 3), using: &random)
        log.withLock { log in
          #expect(
            log.events(of: record, in: range) == own.map(\.number).filter { range.contains($0) })
          #expect(log.lastEvent(of: record, at: a) == own.last { $0.number <= a }?.number)
          let lastStep = own.last { $0.number <= a && $0.step != nil }
          #expect(log.lastStep(of: record, at: a)?.event == lastStep?.number)
          #expect(
            log.event(ofStep: wanted, of: record) == own.first { $0.step == wanted }?.number)
          if let state = log.state(of: record, at: a)?.state as? Int, let lastStep {
            #expect(state == lastStep.number)
          }
        }
      }
    }
  }

  @Test func `a queue of blocks returns its elements in their order and by their offsets`() {
    var random = SeededGenerator(seed: 1)
    let queue = BlockQueue<Int>()
    var (first, next) = (0, 0)
    for _ in 0..<50 {
      for _ in 0..<Int.random(in: 0..<1_500, using: &random) {
        queue.append(next)
        next += 1
      }
      #expect(queue.count == next - first)
      #expect((0..<queue.count).allSatisfy { queue[$0] == first + $0 })
      for _ in 0..<Int.random(in: 0..<1_500, using: &random) {
        guard let popped = queue.popFirst() else { break }
        #expect(popped == first)
        first += 1
      }
    }
    while queue.popFirst() != nil { first += 1 }
    #expect(first == next && queue.popFirst() == nil)
  }
}
