#if canImport(CReactiveSystem) && !SANITIZED
import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Says what is wrong in an exit test's process.
func report(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

/// Expects that an exit test's process has reported nothing.
func expectNoReport(_ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation) {
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(text == "", sourceLocation: sourceLocation)
}

/// What a subscription leaves on the heap when it is over, measured in processes of their own: other
/// tests would allocate meanwhile.
@Suite("What the operators keep", .workerPool)
struct LeakTests {
  private enum Ending: CaseIterable { case completes, fails, isDisposedOfEarly, isDisposedOfLate }

  /// One subscription from its beginning to its end.
  private static func run(_ row: Row, _ ending: Ending) {
    Stage.with(row) { stage in
      let subscription = stage.observable.subscribe { _ in }
      stage.settle()
      switch ending {
      case .completes: stage.play()
      case .fails:
        stage.round(1)
        stage.feed(2)
        for probe in stage.probes { probe.fail() }
        stage.pass()
      case .isDisposedOfEarly: break
      case .isDisposedOfLate:
        stage.rounds()
        stage.feed(4)
      }
      // What has ended is not disposed of, unless it cannot end otherwise.
      let hasFailed = ending == .fails && !row.traits.contains(.handlesErrors)
      if !row.ends || ending != .completes && !hasFailed { stage.dispose(subscription) }
    }
  }

  private static func bytesKept(by row: Row, _ ending: Ending, runs: Int) -> Double {
    for _ in 0..<10 { run(row, ending) }
    return Double(heapGrowth { for _ in 0..<runs { run(row, ending) } }) / Double(runs)
  }

  @Test(arguments: Row.Kind.allCases)
  func `a subscription that is over leaves nothing behind`(kind: Row.Kind) async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { [kind] in
      await MainActor.run {
        for row in Table.rows(kind) {
          for ending in Ending.allCases {
            // What the process itself allocates meanwhile does not happen again.
            if Self.bytesKept(by: row, ending, runs: 50) < 16 { continue }
            let bytes = Self.bytesKept(by: row, ending, runs: 1_000)
            if bytes >= 16 { report("\(row.name), that \(ending), keeps \(bytes) bytes") }
          }
        }
      }
    }
    expectNoReport(result)
  }

  @Test func `what may be replayed takes no memory before it is there`() async {
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
