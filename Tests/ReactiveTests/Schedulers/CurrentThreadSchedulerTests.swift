import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct CurrentThreadSchedulerTests {
  @Test func `CurrentThreadScheduler.isScheduleRequired is false while work runs`() {
    let log = EventRecorder<Bool>()
    log.append(CurrentThreadScheduler.isScheduleRequired)
    let work = CurrentThreadScheduler.instance.schedule(()) {
      log.append(CurrentThreadScheduler.isScheduleRequired)
      return Disposables.create()
    }
    log.append(CurrentThreadScheduler.isScheduleRequired)
    #expect(log.events == [true, false, true])
    work.dispose()
  }

  @Test func `CurrentThreadScheduler does not run disposed work`() {
    let log = EventRecorder<Int>()
    _ = CurrentThreadScheduler.instance.schedule(()) {
      CurrentThreadScheduler.instance.schedule(()) {
        log.append(1)
        return Disposables.create()
      }
      .dispose()
      return Disposables.create()
    }
    #expect(log.events.isEmpty)
  }
}
