import Dispatch
import Reactive

extension Workload {
  /// 100,000 timers on one scheduler.
  static let timing = [intervals, ticks]

  private static let intervals: Workload = {
    let held = Held(liveIntervals)
    return Workload(
      "reactive/intervals",
      "an interval subscribed while up to 100,000 live; live is the size of one",
      operations: liveIntervals,
      rounds: 7,
      gates: [.keepsNothing(after: liveIntervals), .stored(.allocations), .stored(.live)],
      targets: [.shareOfRxSwift(0.1), .shareOfRxSwiftBytes(0.2)],
      afterBatch: held.dispose
    ) {
      let tally = Tally()
      let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "benchmarks.intervals")
      return { count in
        for _ in 0..<count {
          let interval = Observable<Int>.interval(.seconds(3600), scheduler: scheduler)
          held.add(interval.added(to: tally))
        }
        return tally.take()
      }
    }
  }()

  private static let ticks = Workload(
    "reactive/ticks",
    "a tick of one of 100,000 intervals of a second: 10,000 ns are a core",
    operations: liveIntervals,
    rounds: 3,
    targets: [.shareOfRxSwift(0.3)]
  ) {
    let ticks = Ticks()
    return { count in
      ticks.wait(for: count)
      return count
    }
  }

  fileprivate static let liveIntervals = 100_000
}

/// Intervals that tick once a second, and a counter of their ticks.
@MainActor
private final class Ticks {
  /// The number of awaited ticks.
  // Read and written on the scheduler's queue alone.
  private final class Missing: @unchecked Sendable {
    @exclusivity(unchecked) var count = 0
  }

  private let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "benchmarks.ticks")
  private let bag = DisposeBag()
  private let missing = Missing()
  private let done = DispatchSemaphore(value: 0)

  init() {
    for _ in 0..<Workload.liveIntervals {
      Observable<Int>.interval(.seconds(1), scheduler: scheduler)
        .subscribe(onNext: { [missing, done] _ in
          missing.count -= 1
          if missing.count == 0 { done.signal() }
        })
        .disposed(by: bag)
    }
  }

  func wait(for count: Int) {
    if count == 0 { return }
    _ = scheduler.schedule(count) { [missing] count in
      missing.count = count
      return Disposables.create()
    }
    done.wait()
  }
}
