import Foundation
import Reactive
import Synchronization

extension Scenario {
  static let timing = [
    Scenario("observe(on:): one thread sends and completes, another disposes") {
      let subject = PublishSubject<Token>()
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let (probe, other) = (Probe(), Probe())
      let observed = subject.observe(on: scheduler)
      _ = observed.probed(by: probe)
      let subscription = observed.probed(by: other)
      return Round([
        {
          send(20, to: subject)
          subject.onCompleted()
        }, { subscription.dispose() },
      ]) {
        wait { probe.ends == 1 }
        return probe.problem ?? other.problem ?? probe.ends.isNot(1, "ends")
          ?? probe.count.isNot(20, "elements")
      }
    },
    Scenario("observe(on:buffer:): a buffer of two drops, while another thread disposes") {
      let subject = PublishSubject<Token>()
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let (probe, other) = (Probe(), Probe())
      let dropped = Probe()
      let observed = subject.observe(on: scheduler, buffer: .bounded(2, .dropOldest)) { _ in
        dropped.receive()
      }
      let subscription = observed.probed(by: other)
      _ = subject.observe(on: scheduler, buffer: .bounded(2, .dropNewest)).probed(by: probe)
      return Round([
        {
          send(20, to: subject)
          subject.onCompleted()
        }, { subscription.dispose() },
      ]) {
        wait { probe.ends == 1 }
        return probe.problem ?? other.problem ?? probe.ends.isNot(1, "ends")
      }
    },
    timed("debounce") { $0.debounce(.microseconds(50), scheduler: $1) },
    timed("throttle") { $0.throttle(.microseconds(50), scheduler: $1) },
    timed("delay") { $0.delay(.microseconds(50), scheduler: $1) },
    timed("timeout") { $0.timeout(.microseconds(200), scheduler: $1) },
    Scenario("values: a task iterates, one thread sends, another cancels") {
      let subject = PublishSubject<Token>()
      let probe = Probe()
      let hasEnded = Ended()
      let values = subject.values(buffer: .bounded(4, .dropOldest))
      let task = Task {
        do {
          for try await token in values { probe.receive(token) }
        } catch {}
        hasEnded.set()
      }
      return Round([{ send(20, to: subject) }, { task.cancel() }]) {
        wait { hasEnded.isSet }
        return probe.problem ?? (hasEnded.isSet ? nil : "the iteration goes on")
      }
    },
  ]

  /// One thread sends and completes, a second one disposes, a third one subscribes and disposes.
  private static func timed(
    _ name: String,
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
        {
          send(20, to: subject)
          subject.onCompleted()
        }, { subscription.dispose() },
        { for _ in 0..<5 { timed.probed(by: Probe()).dispose() } },
      ]) {
        wait { probe.ends == 1 }
        return probe.problem ?? other.problem ?? probe.ends.isNot(1, "ends")
      }
    }
  }
}

/// A flag that is set once.
private final class Ended: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }
}

/// Waits until `condition` holds, at most 20 seconds.
func wait(_ condition: () -> Bool) {
  let start = ContinuousClock.now
  while !condition(), start.duration(to: .now) < .seconds(20) { sched_yield() }
}
