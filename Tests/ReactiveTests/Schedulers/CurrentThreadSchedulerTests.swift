import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct CurrentThreadSchedulerTests {
  @Test func `the scheduler of the current thread tells whether work runs`() {
    let log = Log<Bool>()
    log.append(CurrentThreadScheduler.isScheduleRequired)
    let work = CurrentThreadScheduler.instance.schedule(()) {
      log.append(CurrentThreadScheduler.isScheduleRequired)
      return Disposables.create()
    }
    log.append(CurrentThreadScheduler.isScheduleRequired)
    #expect(log.entries == [true, false, true])
    work.dispose()
  }

  @Test func `work disposed of before its turn does not run`() {
    let log = Log<Int>()
    _ = CurrentThreadScheduler.instance.schedule(()) {
      CurrentThreadScheduler.instance.schedule(()) {
        log.append(1)
        return Disposables.create()
      }
      .dispose()
      return Disposables.create()
    }
    #expect(log.entries.isEmpty)
  }
}
