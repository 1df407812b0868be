import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TestTimeTests {
  @Test func `the date of a test scheduler is the clock times the resolution`() {
    let scheduler = TestScheduler(initialClock: 30, resolution: 0.1)
    #expect(scheduler.now.timeIntervalSince1970 == 3)
    let second = TestScheduler(initialClock: 30)
    #expect(second.now.timeIntervalSince1970 == 30)
  }

  @Test func `a test scheduler rounds real time to the nearest tick`() {
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
