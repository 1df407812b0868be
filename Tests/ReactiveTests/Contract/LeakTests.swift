#if canImport(CReactiveSystem) && !SANITIZED
import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Reports a problem from the process of an exit test.
func report(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

/// Expects that the process of an exit test has reported no problem.
func expectNoReport(_ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation) {
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(text == "", sourceLocation: sourceLocation)
}

/// Heap growth after the end of subscriptions.
///
/// Exit tests measure it, because other tests of the process allocate at the same time.
@Suite("Heap memory of operators", .workerPool)
struct LeakTests {
  private enum Ending: CaseIterable { case completes, fails, isDisposedOfEarly, isDisposedOfLate }

  /// Runs one subscription from start to end.
  private static func run(_ row: Row, _ ending: Ending) {
    OperatorHarness.with(row) { harness in
      let subscription = harness.observable.subscribe { _ in }
      harness.settle()
      switch ending {
      case .completes: harness.play()
      case .fails:
        harness.round(1)
        harness.feed(2)
        for probe in harness.probes { probe.fail() }
        harness.pass()
      case .isDisposedOfEarly: break
      case .isDisposedOfLate:
        harness.rounds()
        harness.feed(4)
      }
      // Only a subscription that has not ended by itself is disposed of.
      let hasFailed = ending == .fails && !row.traits.contains(.handlesErrors)
      if !row.ends || ending != .completes && !hasFailed { harness.dispose(subscription) }
    }
  }

  private static func bytesKept(by row: Row, _ ending: Ending, runs: Int) -> Double {
    for _ in 0..<10 { run(row, ending) }
    return Double(heapGrowth { for _ in 0..<runs { run(row, ending) } }) / Double(runs)
  }

  // Swift Testing of 6.2 captures no values in exit tests.
  #if compiler(>=6.3)
  @Test(arguments: Row.Kind.allCases)
  func `an ended subscription leaves no memory allocated`(kind: Row.Kind) async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { [kind] in
      await MainActor.run {
        for row in Table.rows(kind) {
          for ending in Ending.allCases {
            // Allocations of the process itself do not recur in a second measurement.
            if Self.bytesKept(by: row, ending, runs: 50) < 16 { continue }
            let bytes = Self.bytesKept(by: row, ending, runs: 1_000)
            if bytes >= 16 { report("\(row.name), that \(ending), keeps \(bytes) bytes") }
          }
        }
      }
    }
    expectNoReport(result)
  }
  #endif

  @Test func `a replay subject allocates no memory for elements that it has not received`() async {
    await #expect(processExitsWith: .success) {
      let source = PublishSubject<Int>()
      var kept: [Any] = []
      let growth = heapGrowth {
        for size in [1_000_000_000, Int.max] {
          let subject = ReplaySubject<Int>.create(bufferSize: size)
          for element in 0..<3 { subject.onNext(element) }
          let shared = source.share(replay: size, scope: .forever)
          kept += [subject, shared.subscribe(), ReplaySubject<Int>.createUnbounded()]
          source.onNext(1)
        }
      }
      precondition(growth < 16_384, "\(growth) bytes")
      withExtendedLifetime(kept) {}
    }
  }
}
#endif
