import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct SchedulerTests {
  /// A mock scheduler like those in tests of users.
  private final class Mock: SchedulerType, @unchecked Sendable {
    var pending: [() -> Void] = []
    var dueTimes: [RxTimeInterval] = []
    var now: RxTime { Date(timeIntervalSince1970: 0) }

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable)
      -> Disposable
    {
      let cancel = SingleAssignmentDisposable()
      pending.append { if !cancel.isDisposed { cancel.setDisposable(action(state)) } }
      return cancel
    }

    func scheduleRelative<StateType>(
      _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> Disposable
    ) -> Disposable {
      dueTimes.append(dueTime)
      return schedule(state, action: action)
    }

    func runFirst() { pending.removeFirst()() }
  }

  private struct AtOnce: ImmediateSchedulerType {
    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable)
      -> Disposable
    { action(state) }
  }

  @Test func `schedulePeriodic works on a scheduler with one-shot timers only`() {
    let scheduler = Mock()
    let log = EventRecorder<Int>()
    let work = scheduler.schedulePeriodic(7, startAfter: .seconds(3), period: .seconds(2)) {
      log.append($0)
      return $0 * 2
    }
    for _ in 0..<3 { scheduler.runFirst() }
    #expect(log.events == [7, 14, 28])
    #expect(scheduler.dueTimes == [.seconds(3), .seconds(2), .seconds(2), .seconds(2)])
    work.dispose()
    scheduler.runFirst()
    #expect(scheduler.pending.isEmpty)
    #expect(log.events == [7, 14, 28])
  }

  @Test func `periodic work that disposes of itself is not scheduled again`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<Int>()
    let work = SerialDisposable()
    work.disposable = scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) {
      log.append(scheduler.clock)
      if $0 == 1 { work.dispose() }
      return $0 + 1
    }
    scheduler.start()
    #expect(log.events == [1, 2])
  }

  @Test func `scheduleRecursive runs until its work does not recurse`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<String>()
    _ = scheduler.scheduleRecursive(0) { state, recurse in
      log.append("\(state)@\(scheduler.clock)")
      if state < 2 { recurse(state + 1) }
    }
    scheduler.start()
    #expect(log.events == ["0@1", "1@2", "2@3"])
  }

  @Test func `disposal stops scheduleRecursive`() {
    let scheduler = Mock()
    let log = EventRecorder<Int>()
    let work = scheduler.scheduleRecursive(0) { state, recurse in
      log.append(state)
      recurse(state + 1)
    }
    scheduler.runFirst()
    work.dispose()
    scheduler.runFirst()
    #expect(scheduler.pending.isEmpty)
    func countDown(_ state: Int, _ recurse: (Int) -> Void) {
      log.append(state)
      if state > 10 { recurse(state - 1) }
    }
    _ = AtOnce().scheduleRecursive(12, action: countDown)
    #expect(log.events == [0, 12, 11, 10])
  }

  @Test func `scheduleRecursive needs no deep stack on a scheduler that runs its work at once`() {
    let elements = Observable.range(start: 0, count: 200_000, scheduler: AtOnce())
    let sums = EventRecorder<Int>()
    _ = elements.reduce(0, accumulator: +).subscribe(onNext: { sums.append($0) })
    #expect(sums.events == [200_000 * 199_999 / 2])
  }

  @Test func `work disposed of during its run disposes of its result`() {
    let scheduler = Mock()
    let inner = BooleanDisposable()
    let own = SerialDisposable()
    own.disposable = CurrentThreadScheduler.instance.schedule(()) {
      scheduler.pending.append {}
      return inner
    }
    #expect(!inner.isDisposed)
    own.dispose()
    #expect(inner.isDisposed)
    let late = BooleanDisposable()
    _ = CurrentThreadScheduler.instance.schedule(()) {
      let work = SerialDisposable()
      work.disposable = CurrentThreadScheduler.instance.schedule(()) {
        work.dispose()
        return late
      }
      return Disposables.create()
    }
    #expect(late.isDisposed)
  }

  @Test func `RxTimeInterval converts to nanoseconds`() {
    #expect(RxTimeInterval.seconds(2).nanoseconds == 2_000_000_000)
    #expect(RxTimeInterval.milliseconds(3).nanoseconds == 3_000_000)
    #expect(RxTimeInterval.microseconds(4).nanoseconds == 4_000)
    #expect(RxTimeInterval.nanoseconds(-5).nanoseconds == 0)
    #expect(RxTimeInterval.seconds(.max).nanoseconds == .max)
    #expect(RxTimeInterval.never.nanoseconds == .max)
    #expect(RxTimeInterval.nanoseconds(50).remaining(since: 100, 130) == .nanoseconds(20))
    #expect(RxTimeInterval.nanoseconds(50).remaining(since: 130, 100) == .nanoseconds(50))
    #expect(RxTimeInterval.nanoseconds(50).remaining(since: 100, 1 << 60) == .nanoseconds(0))
    #expect(RxTimeInterval.nanoseconds(50).remaining(since: .max, 9) == .nanoseconds(40))
  }
}
