import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct DispatchQueueSchedulersTests {
  @Test func `a serial dispatch scheduler runs its work in order`() {
    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
    let log = EventRecorder<Int>()
    let done = Latch()
    for number in 0..<1_000 {
      _ = scheduler.schedule(number) {
        log.append($0)
        if $0 == 999 { done.open() }
        return Disposables.create()
      }
    }
    done.wait()
    #expect(log.events == Array(0..<1_000))
  }

  @Test func `a serial dispatch scheduler does not run disposed work`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let (blocked, done) = (Latch(), Latch())
    let ran = EventRecorder<Int>()
    _ = scheduler.schedule(()) {
      blocked.wait()
      return Disposables.create()
    }
    let cancelled = scheduler.schedule(()) {
      ran.append(1)
      return Disposables.create()
    }
    cancelled.dispose()
    blocked.open()
    _ = scheduler.schedule(()) {
      done.open()
      return Disposables.create()
    }
    done.wait()
    #expect(ran.events.isEmpty)
  }

  @Test func `a serial dispatch scheduler disposes of the disposable that its work returned`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let (ran, disposed) = (Latch(), Latch())
    let work = scheduler.schedule(()) {
      ran.open()
      return Disposables.create { disposed.open() }
    }
    ran.wait()
    // The scheduler stores the result after the work has run, before the next work of the queue.
    let taken = Latch()
    _ = scheduler.schedule(()) {
      taken.open()
      return Disposables.create()
    }
    taken.wait()
    work.dispose()
    disposed.wait()
  }

  @Test func `a concurrent dispatch scheduler runs all work`() {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    let count = 500
    let done = Latch(count * 2)
    for _ in 0..<count {
      _ = scheduler.schedule(()) {
        done.open()
        return Disposables.create()
      }
      _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) {
        done.open()
        return Disposables.create()
      }
    }
    done.wait()
  }

  @Test func `a periodic timer of a concurrent scheduler runs one tick at a time`() {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let inside = Atomic(0)
    let overlaps = Atomic(0)
    let done = Latch()
    let timer = SerialDisposable()
    timer.disposable = scheduler.schedulePeriodic(
      0, startAfter: .milliseconds(1), period: .microseconds(50)
    ) { state in
      if inside.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
      var sum = 0
      for number in 0..<10_000 { sum &+= number ^ state }
      if state == 50, sum != 1 {
        timer.dispose()
        done.open()
      }
      inside.subtract(1, ordering: .relaxed)
      return state + 1
    }
    done.wait()
    #expect(overlaps.load(ordering: .relaxed) == 0)
  }

  @Test func `serial and concurrent schedulers run their work on a given queue`() {
    let queue = DispatchQueue(label: "target")
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 7)
    let log = EventRecorder<Int?>()
    let serial = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "inner")
    let schedulers: [any SchedulerType] = [serial, ConcurrentDispatchQueueScheduler(queue: queue)]
    let done = Latch(4)
    for scheduler in schedulers {
      for time in [RxTimeInterval.seconds(-1), .milliseconds(1)] {
        _ = scheduler.scheduleRelative((), dueTime: time) {
          log.append(DispatchQueue.getSpecific(key: key))
          done.open()
          return Disposables.create()
        }
      }
    }
    done.wait()
    #expect(log.events == [7, 7, 7, 7])
  }

  @Test func `a released scheduler runs its pending work and then releases it`() {
    let done = Latch(4)
    let queue = DispatchQueue(label: "target")
    weak var seen: Token?
    do {
      let token = Token()
      seen = token
      for dueTime in [RxTimeInterval.nanoseconds(0), .milliseconds(20)] {
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "own")
        for _ in 0..<2 {
          _ = scheduler.scheduleRelative((), dueTime: dueTime) {
            token.hold()
            done.open()
            return Disposables.create()
          }
        }
      }
    }
    done.wait()
    queue.sync {}
    #expect(seen == nil)
  }

  @Test func `a periodic timer continues after its scheduler's release until disposal`() {
    let (ticks, done) = (EventRecorder<Int>(), Latch())
    let timer = SerialDisposable()
    timer.disposable = SerialDispatchQueueScheduler(qos: .default).schedulePeriodic(
      0, startAfter: .milliseconds(1), period: .milliseconds(1)
    ) { state in
      ticks.append(state)
      if state == 5 {
        timer.dispose()
        done.open()
      }
      return state + 1
    }
    done.wait()
    #expect(ticks.events == Array(0...5))
  }

  @Test func `the uptime of a dispatch queue scheduler is that of the system and never goes back`()
  {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    var last = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<1_000 {
      let uptime = scheduler.uptimeNanoseconds
      #expect(uptime >= last)
      last = uptime
    }
    #expect(last <= DispatchTime.now().uptimeNanoseconds)
  }
}
