import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct CableMonitorTests {
  @Test
  func `J02: the cable monitor polls after 6 s × 1.15^n plus jitter, as the official client does`()
  {
    // The table of the official client in seconds, with a tolerance of 0.01 for its rounding.
    let least = [6, 6.9, 7.93, 9.13, 10.49, 12.07, 13.88, 15.96, 18.35, 21.11, 24.27, 24.27]
    let most = [12, 7.94, 9.13, 10.49, 12.07, 13.88, 15.96, 18.35, 21.11, 24.27, 27.91, 27.91]
    for (attempts, (least, most)) in zip(least, most).enumerated() {
      let shortest = CableMonitor.interval(attempts: attempts, random: 0) / .seconds(1)
      let longest = CableMonitor.interval(attempts: attempts, random: 0.999_999) / .seconds(1)
      #expect(abs(shortest - least) < 0.011)
      #expect(abs(longest - most) < 0.011)
    }
  }

  @Test func `the cable monitor draws one random number each time it is armed`() {
    var drawn = 0
    func random() -> Double {
      drawn += 1
      return 0
    }
    var monitor = CableMonitor()
    var polls = [monitor.poll(.seconds(100), random)]
    monitor.start(.zero, random)
    monitor.start(.zero, random)
    monitor.noteMessage(.seconds(1))
    monitor.noteWelcome()
    polls.append(monitor.poll(.seconds(5), random))
    #expect(drawn == 1)
    polls.append(monitor.poll(.seconds(6), random))
    #expect(drawn == 2)
    #expect(polls == [false, false, false])
  }

  @Test func `J01, J03: a connection is stale after 6 s without any message`() {
    var monitor = CableMonitor()
    monitor.start(.seconds(10)) { 0 }
    #expect(!monitor.isStale(.seconds(16)))
    #expect(monitor.isStale(.milliseconds(16_001)))
    monitor.noteMessage(.seconds(16))
    #expect(!monitor.isStale(.seconds(22)))
  }

  @Test func `a cable waits after the server closes, and the delay grows`() {
    var monitor = CableMonitor()
    monitor.start(.zero) { 0 }
    var polls = [monitor.poll(.seconds(6)) { 0 }]
    monitor.noteDisconnect(.seconds(7))
    polls.append(monitor.poll(.seconds(12)) { 0 })
    #expect(monitor.attempts == 1)
    polls.append(monitor.poll(.milliseconds(18_900)) { 0 })
    #expect(monitor.attempts == 2)
    #expect(polls == [false, false, true])
    monitor.noteWelcome()
    #expect(monitor.attempts == 0)
    monitor.stop()
    #expect(!monitor.isRunning && monitor.nextPoll == nil)
  }
}
