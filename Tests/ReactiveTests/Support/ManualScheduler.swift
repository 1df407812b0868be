import Foundation
import Reactive

/// A scheduler that the test controls: it sets the clock, also back, and fires timers, also disposed
/// ones, like a timer that has started to fire before its disposal.
final class ManualScheduler: SchedulerType {
  private struct State {
    var now = Date(timeIntervalSince1970: 1_000)
    var timers: [(dueTime: RxTimeInterval, fire: () -> Void)] = []
  }

  private let state = Locked(State())

  var now: Date { state.withLock { $0.now } }

  /// The due time of each timer, in the order of creation.
  var dueTimes: [RxTimeInterval] { state.withLock { $0.timers.map(\.dueTime) } }

  /// Moves the clock, back when `seconds` is negative.
  func moveClock(by seconds: TimeInterval) { state.withLock { $0.now += seconds } }

  /// Fires the timer with the number `index` in the order of creation.
  func fire(_ index: Int) {
    let timer = state.withLock { $0.timers[index] }
    timer.fire()
  }

  func scheduleRelative<StateType>(
    _ state: StateType,
    dueTime: RxTimeInterval,
    action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    self.state.withLock { $0.timers.append((dueTime, { _ = action(state) })) }
    return Disposables.create()
  }

  func schedule<StateType>(
    _ state: StateType,
    action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .seconds(0), action: action)
  }
}
