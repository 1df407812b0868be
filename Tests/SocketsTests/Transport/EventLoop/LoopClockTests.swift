import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct LoopClockTests {
  @Test func `a loop with a scheduler uses the scheduler's time`() {
    let time = HistoricalScheduler()
    let clock = LoopClock(loop: .shared, scheduler: time)
    let (now, date) = (clock.now, clock.date)
    time.advanceTo(date.addingTimeInterval(1.5))
    #expect(clock.now - now == .milliseconds(1_500))
    #expect(clock.date == date.addingTimeInterval(1.5))
  }

  @Test func `a loop without a scheduler uses the system's time`() {
    let clock = LoopClock(loop: .shared, scheduler: nil)
    let now = clock.now
    #expect(clock.now >= now)
  }
}
