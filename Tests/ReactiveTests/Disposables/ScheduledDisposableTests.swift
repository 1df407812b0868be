import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Test(.workerPool) func `a scheduled disposable is disposed of once on its scheduler`() {
  let scheduler = TestScheduler(initialClock: 0)
  let log = EventRecorder<Int>()
  let scheduled = ScheduledDisposable(
    scheduler: scheduler, disposable: Disposables.create { log.append(scheduler.clock) })
  #expect(scheduled.scheduler is TestScheduler)
  scheduled.dispose()
  scheduled.dispose()
  #expect(!scheduled.isDisposed)
  scheduler.start()
  #expect(scheduled.isDisposed)
  #expect(log.events == [1])
}
