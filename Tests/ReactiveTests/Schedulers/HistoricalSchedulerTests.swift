import Foundation
import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct HistoricalSchedulerTests {
  @Test func `the clock of a historical scheduler is a date`() {
    let scheduler = HistoricalScheduler()
    #expect(scheduler.clock == Date(timeIntervalSince1970: 0))
    let log = EventRecorder<Date>()
    for seconds in [60, 30] {
      _ = scheduler.scheduleRelative((), dueTime: .seconds(seconds)) {
        log.append(scheduler.now)
        return Disposables.create()
      }
    }
    _ = scheduler.scheduleRelativeVirtual((), dueTime: 45) {
      log.append(scheduler.now)
      return Disposables.create()
    }
    scheduler.sleep(10)
    scheduler.advanceTo(Date(timeIntervalSince1970: 50))
    #expect(log.events == [30, 45].map { Date(timeIntervalSince1970: $0) })
    scheduler.start()
    #expect(scheduler.clock == Date(timeIntervalSince1970: 60))
  }
}
