import Foundation
import Reactive

/// A scheduler run by hand: its clock may be set back, and its timers fire when they are told to,
/// also those that were disposed of, as one does that had begun to fire by then.
final class HandScheduler: SchedulerType {
  private struct State {
    var now = Date(timeIntervalSince1970: 1_000)
    var timers: [(dueTime: RxTimeInterval, fire: () -> Void)] = []
  }

  private let state = Locked(State())

  var now: Date { state.withLock { $0.now } }

  /// What each timer was set to, in the order they were.
  var dueTimes: [RxTimeInterval] { state.withLock { $0.timers.map(\.dueTime) } }

  /// Sets the clock, back when `seconds` is negative.
  func moveClock(by seconds: TimeInterval) { state.withLock { $0.now += seconds } }

  /// Fires the timer that was set as number `index`.
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
