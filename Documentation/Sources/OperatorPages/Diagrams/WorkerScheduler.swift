import Reactive
import ReactiveTesting
import Synchronization

/// A worker that does one piece of work after the other.
///
/// Each piece begins some time after it was scheduled, and occupies the worker for some time.
final class WorkerScheduler: ImmediateSchedulerType {
  private let clock: TestScheduler
  private let latency: Int
  private let duration: Int
  /// The time at which the worker is free.
  private let freeFrom = Mutex(0)

  /// A worker.
  ///
  /// - Parameters:
  ///   - latency: ticks before a piece of work begins: 0.
  ///   - duration: ticks that a piece of work takes: 0.
  init(_ stage: DiagramStage, latency: Int = 0, duration: Int = 0) {
    clock = stage.scheduler
    self.latency = latency
    self.duration = duration
  }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let begin = freeFrom.withLock { free in
      let begin = max(clock.clock + latency, free)
      free = begin + duration
      return begin
    }
    return clock.scheduleAbsoluteVirtual(state, time: begin, action: action)
  }
}
