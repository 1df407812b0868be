import Dispatch
import Reactive

extension Workload {
  /// From thread to thread.
  static let scheduling = [observeOn, observeOnBusy, observeOnSuspended, hop]

  private static let observeOn = Workload(
    "reactive/observeOn",
    "an element of a burst of 1000 to a serial queue, CPU of both threads",
    targets: [.shareOfRxSwift(0.06)]
  ) {
    let hop = Hop()
    return { count in
      forEachBurst(of: count) { burst in
        hop.send(burst)
        hop.wait()
      }
      return hop.tally.take()
    }
  }

  private static let observeOnBusy = Workload(
    "reactive/observeOnBusy",
    "an element of a burst of 1000 to a queue that is busy until it was sent: one dispatch for all",
    operations: 100_000,
    gates: [.allocations(0.1)],
    targets: [.allocations(0.02)]
  ) {
    let hop = Hop()
    return { count in
      forEachBurst(of: count) { burst in
        let isSent = DispatchSemaphore(value: 0)
        hop.perform { isSent.wait() }
        hop.send(burst)
        isSent.signal()
        hop.wait()
      }
      return hop.tally.take()
    }
  }

  private static let observeOnSuspended = Workload(
    "reactive/observeOnSuspended",
    "a generated element through a buffer of 256, which suspends its source, in virtual time",
    gates: [.stored(.allocations), .stored(.instructions)]
  ) {
    let tally = Tally()
    let clock = VirtualTimeScheduler(initialClock: 0, converter: TickConverter())
    return { count in
      let numbers = Observable.generate(
        initialState: 0, condition: { $0 < count }, iterate: { $0 + 1 }
      ).observe(on: clock, buffer: .bounded(256, .suspend)).added(to: tally)
      clock.start()
      numbers.dispose()
      return tally.take()
    }
  } loop: {
    ByHand.calling { $0.add }
  }

  private static let hop = Workload(
    "reactive/hop",
    "an element to a serial queue by itself, and a signal back, CPU of both threads",
    targets: [.shareOfRxSwift(0.8)]
  ) {
    let hop = Hop()
    return { count in
      for _ in 0..<count {
        hop.send(0..<0)
        hop.wait()
      }
      return count
    }
  }

  /// Sent after a burst: the observer signals that it has received all.
  nonisolated static let endOfBurst = -1

  /// Calls `body` with the elements of each burst, `count` in all.
  static func forEachBurst(of count: Int, _ body: (Range<Int>) -> Void) {
    for start in stride(from: 0, to: count, by: 1000) { body(start..<min(count, start + 1000)) }
  }
}

/// A subject, and its observer on another queue, whose end of a burst can be awaited.
@MainActor
private final class Hop {
  let tally = Tally()
  private let scheduler = SerialDispatchQueueScheduler(
    internalSerialQueueName: "benchmarks.observeOn")
  private let subject = PublishSubject<Int>()
  private let delivered = DispatchSemaphore(value: 0)

  init() {
    tally.keep(
      subject.observe(on: scheduler).subscribe(onNext: { [add = tally.add, delivered] element in
        if element == Workload.endOfBurst { delivered.signal() } else { add(element) }
      })
    )
  }

  /// Runs `work` on the other queue.
  func perform(_ work: @escaping @Sendable () -> Void) {
    _ = scheduler.schedule(()) {
      work()
      return Disposables.create()
    }
  }

  /// Sends the elements, and the end of a burst.
  func send(_ elements: Range<Int>) {
    for element in elements { subject.onNext(element) }
    subject.onNext(Workload.endOfBurst)
  }

  func wait() { delivered.wait() }
}
