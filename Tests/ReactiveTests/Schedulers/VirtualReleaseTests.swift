import Reactive
import ReactiveTesting
import Testing

@Test func `a virtual scheduler that is dropped lets go of the work that waits`() {
  weak var kept: Token?
  do {
    let token = Token()
    kept = token
    let scheduler = TestScheduler(initialClock: 0)
    _ = scheduler.scheduleRelative((), dueTime: .seconds(10)) {
      withExtendedLifetime(token) {}
      return Disposables.create()
    }
  }
  #expect(kept == nil)
}
