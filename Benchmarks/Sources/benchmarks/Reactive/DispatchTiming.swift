import Dispatch
import Reactive

extension Workload {
  /// Operators on time, on a dispatch queue.
  static let dispatchTiming = [
    waiting("debounce", "which waits in the place of the one before") { source, clock in
      source.debounce(.seconds(3600), scheduler: clock)
    },
    waiting("throttle", "which waits in the place of the one before") { source, clock in
      source.throttle(.seconds(3600), scheduler: clock)
    },
    waiting("timeout", "which begins the time anew") { source, clock in
      source.timeout(.seconds(3600), scheduler: clock)
    },
    delay, timer,
  ]

  /// The timer never fires: the sender does all the work.
  private static func waiting(
    _ name: String,
    _ summary: String,
    _ postponed:
      @escaping @MainActor (Observable<Int>, SerialDispatchQueueScheduler) -> Observable<Int>
  ) -> Workload {
    Workload(
      "reactive/\(name)",
      "an element to \(name) on a dispatch queue, \(summary)",
      gates: [.stored(.allocations), .stored(.instructions)],
      targets: [.allocations(3), .nanoseconds(400)]
    ) {
      let tally = Tally()
      let subject = PublishSubject<Int>()
      let clock = SerialDispatchQueueScheduler(internalSerialQueueName: "benchmarks.\(name)")
      tally.keep(postponed(subject.asObservable(), clock).added(to: tally))
      return { count in
        for element in 0..<count { subject.onNext(element) }
        return tally.take()
      }
    }
  }

  private static let delay = Workload(
    "reactive/delay",
    "an element of a burst of 1000 through a delay of a microsecond on a dispatch queue",
    targets: [.allocations(3), .nanoseconds(400)]
  ) {
    let tally = Tally()
    let subject = PublishSubject<Int>()
    let delivered = DispatchSemaphore(value: 0)
    let clock = SerialDispatchQueueScheduler(internalSerialQueueName: "benchmarks.delay")
    tally.keep(
      subject.delay(.microseconds(1), scheduler: clock)
        .subscribe(onNext: { [add = tally.add] element in
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

  private static let timer = Workload(
    "reactive/timer",
    "one of a burst of 1000 timers on a dispatch queue, built, subscribed and fired",
    targets: [.nanoseconds(1000)]
  ) {
    let clock = SerialDispatchQueueScheduler(internalSerialQueueName: "benchmarks.timer")
    let bag = DisposeBag()
    return { count in
      forEachBurst(of: count) { burst in
        let group = DispatchGroup()
        for _ in burst {
          group.enter()
          Observable<Int>.timer(.milliseconds(2), scheduler: clock)
            .subscribe(onNext: { _ in group.leave() }).disposed(by: bag)
        }
        group.wait()
      }
      return count
    }
  }
}
