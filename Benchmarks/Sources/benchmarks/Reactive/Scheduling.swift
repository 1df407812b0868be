import Dispatch
import Reactive

extension Workload {
  /// From thread to thread.
  static let scheduling = [observeOn]

  private static let observeOn = Workload(
    "reactive/observeOn",
    "an element of a burst of 1000 to a serial queue, CPU of both threads"
  ) {
    let tally = Tally()
    let delivered = DispatchSemaphore(value: 0)
    let subject = PublishSubject<Int>()
    let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "benchmarks.observeOn")
    tally.keep(
      subject.observe(on: queue).subscribe(onNext: { [add = tally.add] element in
        if element == endOfBurst { delivered.signal() } else { add(element) }
      })
    )
    return { count in
      forEachBurst(of: count) { burst in
        for element in burst { subject.onNext(element) }
        subject.onNext(endOfBurst)
        delivered.wait()
      }
      return tally.take()
    }
  }

  /// Sent behind a burst: the observer says that it has everything.
  nonisolated static let endOfBurst = -1

  /// Calls `body` with the elements of each burst, `count` in all.
  static func forEachBurst(of count: Int, _ body: (Range<Int>) -> Void) {
    for start in stride(from: 0, to: count, by: 1000) { body(start..<min(count, start + 1000)) }
  }
}
