import Foundation
import Inspector
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@testable import Inspector

@Suite("EventSizer", .workerPool)
struct EventSizerTests {
  private func held(_ count: Int, byteLimit: Int, _ make: (Int) -> some Sendable) -> Int {
    let sample = InspectedSample { $0.byteLimit = byteLimit }
    func record<Value: Sendable>(_ first: Value) -> Int {
      let holding = Composed(sending: Holding<Value>())
      sample.add(holding)
      for number in 0..<count {
        if let value = make(number) as? Value { holding.send(value) }
        // Measured in the background: a program has more time than this test.
        EventSizer.background.sync {}
      }
      return sample.log.events.count
    }
    return record(make(0))
  }

  @Test func `the bytes of data count`() {
    #expect(held(100, byteLimit: 8 << 20) { Data(repeating: UInt8($0), count: 1 << 20) } < 12)
  }

  @Test(arguments: [0, 1])
  func `every second step that is large counts`(remainder: Int) {
    let count = held(400, byteLimit: 8 << 20) { number in
      number > 1 && number % 2 == remainder
        ? (0..<1_000).map { "\($0) \(number)" + String(repeating: "x", count: 1_000) } : ["short"]
    }
    #expect(count < 60)
  }

  @Test func `the text of an error counts`() {
    struct Long: Error, CustomStringConvertible {
      let description = String(repeating: "x", count: 100_000)
    }
    final class Failing: Composer, EffectFailureHandling {
      enum Action { case fail }
      struct State {}
      @ComposableState var state = State()
      let action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        .run(.error(Long()))
      }
      func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> { .none }
    }
    let sample = InspectedSample { $0.byteLimit = 1 << 20 }
    let failing = Composed(sending: Failing())
    sample.add(failing)
    for _ in 0..<100 { failing.send(.fail) }
    #expect(sample.log.events.count < 40)
  }

  /// Counts how often its parts are read, which it would have to protect.
  private final class Cache: CustomReflectable, Sendable {
    let readCount = Atomic(0)
    var customMirror: Mirror {
      readCount.add(1, ordering: .relaxed)
      return Mirror(self, children: [:])
    }
  }

  @Test func `objects are not read, because other threads may be writing them`() {
    let cache = Cache()
    #expect(held(20, byteLimit: 8 << 20) { _ in [cache] } == 20)
    #expect(cache.readCount.load(ordering: .relaxed) == 0)
  }

  @Test func `arrays that share storage do not overflow the estimate`() {
    let inner = Array(repeating: 0, count: 1_000_000)
    let large = Array(
      repeating: Array(repeating: Array(repeating: inner, count: 1_000_000), count: 1_000),
      count: 1_000)
    #expect(held(2, byteLimit: 8 << 20) { _ in large } == 1)
  }
}
