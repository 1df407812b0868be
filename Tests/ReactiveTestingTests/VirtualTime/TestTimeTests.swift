import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TestTimeTests {
  @Test func `a tick is as long as the resolution says`() {
    let scheduler = TestScheduler(initialClock: 30, resolution: 0.1)
    #expect(scheduler.now.timeIntervalSince1970 == 3)
    let second = TestScheduler(initialClock: 30)
    #expect(second.now.timeIntervalSince1970 == 30)
  }

  @Test func `real time is rounded to the nearest tick`() {
    for (milliseconds, expected) in [(1_400, 1), (1_500, 2), (1_600, 2), (0, 1), (-3_000, 1)] {
      let scheduler = TestScheduler(initialClock: 0)
      let observer = scheduler.createObserver(Int.self)
      _ = scheduler.scheduleRelative((), dueTime: .milliseconds(milliseconds)) {
        observer.onNext(milliseconds)
        return Disposables.create()
      }
      scheduler.start()
      #expect(observer.events == [.next(expected, milliseconds)])
    }
  }
}
