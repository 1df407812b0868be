import Dispatch
import Reactive

extension Curve {
  /// Longer chains, more observers, more timers.
  static let reactive = [stages, observers, timers]

  static let stageCounts = [1, 2, 5, 10, 20, 50]
  static let observerCounts = [1, 10, 100, 1000, 10_000]

  private static let stages = Curve(
    "reactive/stages",
    "An element through that many maps",
    axis: "stages",
    sizes: stageCounts,
    expected: .linear
  ) { name, count in
    Workload(name, "an element through \(count) maps", gates: [.allocations(0)]) {
      let tally = Tally()
      let subject = PublishSubject<Int>()
      var stages = subject.asObservable()
      for _ in 0..<count { stages = stages.map { UserCode.increment($0) } }
      tally.keep(stages.added(to: tally))
      return { count in
        for element in 0..<count { subject.onNext(element) }
        return tally.take()
      }
    } loop: {
      let tally = Tally()
      let (add, increment) = (tally.add, UserCode.increment)
      return { operations in
        for element in 0..<operations {
          var element = element
          for _ in 0..<count { element = increment(element) }
          add(element)
        }
        return tally.take()
      }
    } chain: {
      ByHand.calling { tally in
        var stages = tally.add
        for _ in 0..<count { stages = ByHand.map(UserCode.increment, stages) }
        return stages
      }
    }
  }

  private static let observers = Curve(
    "reactive/observers",
    "An emission of a PublishSubject to that many observers",
    axis: "observers",
    sizes: observerCounts,
    expected: .linear
  ) { name, count in
    Workload(
      name,
      "an emission to \(count) observers",
      leastOperations: 1,
      gates: [.allocations(0)]
    ) {
      let tally = Tally()
      let subject = PublishSubject<Int>()
      for _ in 0..<count { tally.keep(subject.added(to: tally)) }
      return { count in
        for element in 0..<count { subject.onNext(element) }
        return tally.take()
      }
    } loop: {
      ByHand.calling(observers: count)
    }
  }

  private static let timers = Curve(
    "reactive/timers",
    "An interval subscribed and disposed of while that many run",
    axis: "timers",
    sizes: [1, 10, 100, 1000, 10_000, 100_000],
    expected: .flat
  ) { name, count in
    Workload(
      name,
      "an interval is subscribed and disposed of while \(count) run",
      seconds: 3,
      others: [.source: { dispatchSources(held: count) }]
    ) {
      let tally = Tally()
      let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "benchmarks.timers")
      let interval = Observable<Int>.interval(.seconds(3600), scheduler: scheduler)
      for _ in 0..<count { tally.keep(interval.added(to: tally)) }
      return { operations in
        for _ in 0..<operations { interval.added(to: tally).dispose() }
        return operations
      }
    }
  }

  /// Without a library: one timer source of the system for each.
  private static func dispatchSources(held: Int) -> Contender.Body {
    let queue = DispatchQueue(label: "benchmarks.sources")
    @Sendable func started() -> DispatchSourceTimer {
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.schedule(deadline: .now() + 3600, repeating: 3600)
      source.setEventHandler {}
      source.resume()
      return source
    }
    let all = (0..<held).map { _ in started() }
    return { operations in
      for _ in 0..<operations { started().cancel() }
      return withExtendedLifetime(all) { operations }
    }
  }
}
