import Foundation
import Reactive
import TestSupport
import Testing

@testable import ReactiveTesting

@Suite(.workerPool) struct VirtualClockTests {
  private let time = VirtualTime()
  private let log = Locked<[String]>([])

  private var clock: VirtualClock { time.clock }

  /// What has happened since the last call.
  private func logged() -> [String] { log.replace(with: []) }

  /// Logs the seconds at each of these.
  private func schedule(at seconds: Int...) {
    for second in seconds {
      _ = time.scheduler.scheduleRelative((), dueTime: .seconds(second)) { [log, time] in
        log.withLock { $0.append("due at \(time.elapsed)") }
        return Disposables.create()
      }
    }
  }

  /// Commands the clock each time when its thread is about to wait, on that thread: one command a wait.
  private func whenWaiting(_ commands: (@Sendable () -> Void)...) {
    let rest = Locked(commands[...])
    clock.setOnWait { [log, clock] in
      log.withLock { $0.append("waits at \(clock.status.elapsed)") }
      guard let next = rest.withLock({ $0.popFirst() }) else {
        Issue.record("The clock waits without an end.")
        return clock.resume()
      }
      next()
    }
  }

  @Test func `a paused clock waits before each moment until a step`() {
    let clock = clock
    schedule(at: 1, 1, 3)
    clock.pause()
    whenWaiting(
      { #expect(clock.stepToNext()) }, { #expect(clock.stepToNext()) },
      { clock.step(by: .milliseconds(500)) }, { clock.step(by: .seconds(60)) })
    time.advance(by: .seconds(5))
    #expect(
      logged() == [
        "waits at 0.0", "due at 1.0", "due at 1.0", "waits at 1.0", "due at 3.0", "waits at 3.0",
        "waits at 3.5",
      ])
    #expect(time.elapsed == 5)
    // What remains of the 60 s is kept.
    time.advance(by: .seconds(50))
    #expect(logged() == [])
  }

  @Test func `a resumed clock waits no more`() {
    let clock = clock
    schedule(at: 1, 2)
    clock.pause()
    whenWaiting({ clock.resume() })
    time.advance(by: .seconds(5))
    #expect(logged() == ["waits at 0.0", "due at 1.0", "due at 2.0"])
    #expect(!clock.status.isPaused)
  }

  @Test func `a clock that is paused by its own work waits before the next moment`() {
    let clock = clock
    _ = time.scheduler.scheduleRelative((), dueTime: .seconds(1)) {
      clock.pause()
      return Disposables.create()
    }
    schedule(at: 1, 2)
    whenWaiting({ clock.resume() })
    time.advance(by: .seconds(5))
    #expect(logged() == ["due at 1.0", "waits at 1.0", "due at 2.0"])
  }

  @Test func `a step to the next work goes on in a later advance`() {
    let clock = clock
    schedule(at: 5, 6)
    clock.pause()
    whenWaiting({ #expect(clock.stepToNext()) }, { clock.resume() })
    time.advance(by: .seconds(2))
    #expect(logged() == ["waits at 0.0"])
    time.advance(by: .seconds(2))
    #expect(logged() == [])
    time.advance(by: .seconds(2))
    #expect(logged() == ["due at 5.0", "waits at 5.0", "due at 6.0"])
  }

  @Test func `a step that was made before the advance is kept for it`() {
    let clock = clock
    clock.pause()
    #expect(clock.stepToNext())
    schedule(at: 1, 2)
    whenWaiting({ clock.resume() })
    time.advance(by: .seconds(2))
    #expect(logged() == ["due at 1.0", "waits at 1.0", "due at 2.0"])
  }

  @Test func `settling a paused clock runs what is ready, without a wait`() {
    clock.pause()
    schedule(at: 0)
    time.enqueue { [log] in log.withLock { $0.append("job") } }
    time.settle()
    #expect(logged() == ["job", "due at 0.0"])
  }

  @Test func `work that becomes ready during a wait runs before the next moment`() {
    let (clock, time, log) = (clock, time, log)
    let tests = self
    schedule(at: 4)
    clock.pause()
    whenWaiting(
      {
        time.enqueue {
          log.withLock { $0.append("job at \(time.elapsed)") }
          tests.schedule(at: 1)
        }
      },
      {
        Task(executorPreference: time.context.taskExecutor) {
          log.withLock { $0.append("task at \(time.elapsed)") }
        }
      },
      {
        #expect(clock.status.nextDue == 1)
        clock.resume()
      })
    time.advance(by: .seconds(5))
    #expect(
      logged() == [
        "waits at 0.0", "job at 0.0", "waits at 0.0", "task at 0.0", "waits at 0.0",
        "due at 1.0", "due at 4.0",
      ])
  }

  @Test func `a step to the next work is refused while nothing is scheduled`() {
    let clock = clock
    clock.pause()
    whenWaiting(
      { #expect(!clock.stepToNext()) }, { clock.step(by: .seconds(1)) }, { clock.resume() })
    time.advance(by: .seconds(5))
    #expect(logged() == ["waits at 0.0", "waits at 0.0", "waits at 1.0"])
    #expect(time.elapsed == 5)
  }

  @Test func `the status has the time, the next work and the wait`() {
    let clock = clock
    schedule(at: 2)
    #expect(
      clock.status
        == SteppableClockStatus(
          isPaused: false, isWaiting: false, elapsed: 0, nextDue: nil, isLive: true))
    time.advance(by: .seconds(1))
    clock.pause()
    whenWaiting({
      #expect(
        clock.status
          == SteppableClockStatus(
            isPaused: true, isWaiting: true, elapsed: 1, nextDue: 2, isLive: true))
      clock.resume()
    })
    time.advance(by: .seconds(3))
    #expect(
      clock.status
        == SteppableClockStatus(
          isPaused: false, isWaiting: false, elapsed: 4, nextDue: nil, isLive: true))
  }

  @Test func `a clock ends with its virtual time`() {
    var time: VirtualTime? = VirtualTime()
    let clock = time?.clock
    #expect(clock?.status.isLive == true)
    time = nil
    #expect(clock?.status.isLive == false)
  }

  @Test func `another thread steps the clock, and its actions are reduced during the wait`() {
    let waits = DispatchSemaphore(value: 0)
    let reduced = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let (clock, time, log) = (clock, time, log)
    schedule(at: 1, 2)
    clock.pause()
    clock.setOnWait { waits.signal() }
    Thread {
      time.advance(by: .seconds(3))
      ended.signal()
    }
    .start()
    waits.wait()
    time.enqueue {
      log.withLock { $0.append("job on the driver: \(time.isOnCurrentThread)") }
      reduced.signal()
    }
    reduced.wait()
    for _ in 1...2 {
      waits.wait()
      #expect(clock.stepToNext())
    }
    waits.wait()
    #expect(logged() == ["job on the driver: true", "due at 1.0", "due at 2.0"])
    #expect(time.elapsed == 2)
    clock.resume()
    ended.wait()
    #expect(time.elapsed == 3)
  }

  @Test func `no command is missed that races with the beginning of a wait`() {
    let (clock, time) = (clock, time)
    let count = 2_000
    let ticks = Locked(0)
    let timer = Observable<Int>.interval(.seconds(1), scheduler: time.scheduler)
      .subscribe(onNext: { _ in ticks.withLock { $0 += 1 } })
    clock.pause()
    let ended = DispatchSemaphore(value: 0)
    Thread {
      time.advance(by: .seconds(count))
      ended.signal()
    }
    .start()
    // The thread waits, is about to wait, or runs, as it happens.
    for _ in 0..<count {
      clock.step(by: .milliseconds(500))
      #expect(clock.stepToNext())
    }
    clock.step(by: .seconds(count))
    ended.wait()
    #expect(ticks.withLock { $0 } == count)
    timer.dispose()
  }
}
