import Foundation
import Reactive

extension Workload {
  /// Operators on time, in virtual time.
  static let virtualTiming = [
    virtual("debounce", "of every four elements the last one is emitted") { source, clock in
      source.debounce(.seconds(2), scheduler: clock)
    },
    virtual("throttle", "of every four elements two are emitted") { source, clock in
      source.throttle(.seconds(4), scheduler: clock)
    },
    virtual("delay", "each is emitted") { source, clock in
      source.delay(.seconds(4), scheduler: clock)
    },
    virtual("timeout", "each is emitted") { source, clock in
      source.timeout(.seconds(8), scheduler: clock)
    },
    virtual("buffer", "in arrays of four") { source, clock in
      source.buffer(timeSpan: .seconds(100), count: 4, scheduler: clock).map(\.count)
    },
    virtualTimer, virtualInterval,
  ]

  private static func virtual(
    _ name: String,
    _ summary: String,
    _ postponed:
      @escaping @MainActor (Observable<Int>, VirtualTimeScheduler<TickConverter>) -> Observable<Int>
  ) -> Workload {
    Workload(
      "reactive/\(name)Virtual",
      "an element through \(name) in virtual time, which moves on; \(summary)",
      gates: [.stored(.allocations), .stored(.instructions)],
      targets: [.allocations(3), .nanoseconds(400)]
    ) {
      let tally = Tally()
      let subject = PublishSubject<Int>()
      let clock = VirtualTimeScheduler(initialClock: 0, converter: TickConverter())
      tally.keep(postponed(subject.asObservable(), clock).added(to: tally))
      return { count in
        for element in 0..<count {
          subject.onNext(element)
          clock.advanceTo(clock.clock + (element & 3 == 3 ? 4 : 1))
        }
        return tally.take()
      }
    }
  }

  private static let virtualTimer = Workload(
    "reactive/timerVirtual",
    "a timer in virtual time, built, subscribed and fired",
    gates: [.stored(.allocations), .stored(.instructions)]
  ) {
    let tally = Tally()
    let clock = VirtualTimeScheduler(initialClock: 0, converter: TickConverter())
    return { count in
      for _ in 0..<count {
        let timer = Observable<Int>.timer(.seconds(1), scheduler: clock).added(to: tally)
        clock.advanceTo(clock.clock + 1)
        timer.dispose()
      }
      return count
    }
  }

  private static let virtualInterval = Workload(
    "reactive/intervalVirtual",
    "a tick of an interval in virtual time",
    gates: [.stored(.allocations), .stored(.instructions)],
    targets: [.allocations(3), .nanoseconds(400)]
  ) {
    let tally = Tally()
    let clock = VirtualTimeScheduler(initialClock: 0, converter: TickConverter())
    tally.keep(Observable<Int>.interval(.seconds(1), scheduler: clock).added(to: tally))
    return { count in
      clock.advanceTo(clock.clock + count)
      return tally.take()
    }
  }
}

/// Ticks of a second, as a test's scheduler counts them.
struct TickConverter: VirtualTimeConverterType {
  func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
    RxTime(timeIntervalSince1970: TimeInterval(virtualTime))
  }

  func convertToVirtualTime(_ time: RxTime) -> Int {
    convertToVirtualTimeInterval(time.timeIntervalSince1970)
  }

  func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
    TimeInterval(virtualTimeInterval)
  }

  func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int {
    Int(exactly: timeInterval.rounded()) ?? .max
  }

  func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }

  func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
  }
}
