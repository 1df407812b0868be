#if canImport(CReactiveSystem) && !SANITIZED
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

/// What a subscription leaves on the heap when two threads feed its sources while a third subscribes
/// and disposes, measured in processes of their own.
@Suite("What the operators keep between threads", .workerPool)
struct ThreadedLeakTests {
  /// The number of subscriptions that live at a time, so that each is fed for a while.
  private static let live = 16

  /// The bytes kept for each of `rounds` subscriptions.
  ///
  /// The two feeding threads take turns in each source, as the grammar requires, and fail it now and
  /// then. In an operator over several sources they meet.
  private static func bytesKept(by row: Row, rounds: Int) -> Double {
    let growth = heapGrowth {
      let sources = (0..<row.sourceCount).map { _ in (probe: Probe(), turn: Locked(())) }
      let isOver = Atomic(false)
      onThreads(3) { index in
        if index == 0 {
          subscribe(to: row, sources.map(\.probe.observable), rounds: rounds)
          return isOver.store(true, ordering: .relaxed)
        }
        var element = 0
        while !isOver.load(ordering: .relaxed) {
          element += 1
          for (probe, turn) in sources {
            turn.withLock { _ in
              if element % 8 == 0 { probe.fail() } else { probe.next(element) }
            }
          }
        }
      }
    }
    return Double(growth) / Double(rounds)
  }

  /// Subscribes `rounds` times, and disposes of the oldest subscription each time.
  private static func subscribe(to row: Row, _ sources: [Observable<Int>], rounds: Int) {
    var subscriptions: [(subscription: any Disposable, scheduler: TestScheduler)] = []
    for round in 0..<rounds + live {
      if round < rounds {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let subscription = row.build(sources, scheduler).subscribe { _ in }
        scheduler.advanceTo(0)
        subscriptions.append((subscription, scheduler))
      }
      if round >= live {
        let (subscription, scheduler) = subscriptions.removeFirst()
        scheduler.advanceTo(10)
        subscription.dispose()
        scheduler.advanceTo(20)
      }
    }
  }

  // Swift Testing of 6.2 captures no values in exit tests.
  #if compiler(>=6.3)
  /// Rows without a source are not fed, and drivers and signals are fed on the main thread only.
  @Test(arguments: Row.Kind.allCases.filter { $0 != .creation })
  func `a subscription that two threads feed and a third disposes of leaves nothing behind`(
    kind: Row.Kind
  ) async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { [kind] in
      for row in Table.rows(kind) where row.sourceCount > 0 && !row.traits.contains(.onMain) {
        // What the process and its threads keep once does not happen again.
        if Self.bytesKept(by: row, rounds: 1_000) < 16 { continue }
        let bytes = Self.bytesKept(by: row, rounds: 4_000)
        if bytes >= 16 { report("\(row.name) keeps \(bytes) bytes") }
      }
    }
    expectNoReport(result)
  }
  #endif
}
#endif
