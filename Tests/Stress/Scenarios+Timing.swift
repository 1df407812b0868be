import Foundation
import Reactive

extension Scenario {
  static let timing = [
    timed("observe(on:)", elements: 20) { $0.observe(on: $1) },
    timed("observe(on:buffer:) that drops the oldest") {
      $0.observe(on: $1, buffer: .bounded(2, .dropOldest)) { _ in }
    },
    timed("observe(on:buffer:) that drops the newest") {
      $0.observe(on: $1, buffer: .bounded(2, .dropNewest))
    },
    timed("debounce") { $0.debounce(.microseconds(50), scheduler: $1) },
    timed("throttle") { $0.throttle(.microseconds(50), scheduler: $1) },
    timed("delay") { $0.delay(.microseconds(50), scheduler: $1) },
    timed("timeout") { $0.timeout(.microseconds(200), scheduler: $1) },
    Scenario("values: a task iterates, one thread sends, another cancels") {
      let subject = PublishSubject<Token>()
      let probe = Probe()
      let values = subject.values(buffer: .bounded(4, .dropOldest))
      let task = Task {
        do {
          for try await token in values { probe.receive(token) }
        } catch {}
        probe.receiveEnd()
      }
      return Round([{ send(20, to: subject) }, { task.cancel() }]) {
        wait { probe.ends == 1 }
        return probe.problem ?? probe.ends.isNot(1, "ends")
      }
    },
  ]

  /// One thread sends and completes, a second one disposes, a third one subscribes and disposes.
  private static func timed(
    _ name: String, elements: Int? = nil,
    _ time: @escaping @Sendable (Observable<Token>, any SchedulerType) -> Observable<Token>
  ) -> Scenario {
    Scenario("\(name): one thread sends and completes, others dispose") {
      let subject = PublishSubject<Token>()
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let timed = time(subject.asObservable(), scheduler)
      let (probe, other) = (Probe(), Probe())
      _ = timed.probed(by: probe)
      let subscription = timed.probed(by: other)
      return Round([
        { sendAndComplete(20, to: subject) }, { subscription.dispose() },
        { for _ in 0..<5 { timed.probed(by: Probe()).dispose() } },
      ]) {
        wait { probe.ends == 1 }
        return probe.problem ?? other.problem ?? probe.ends.isNot(1, "ends")
          ?? elements.flatMap { probe.count.isNot($0, "elements") }
      }
    }
  }
}

/// Waits for at most 20 seconds until `condition` returns true.
func wait(_ condition: () -> Bool) {
  let start = ContinuousClock.now
  while !condition(), start.duration(to: .now) < .seconds(20) { sched_yield() }
}
