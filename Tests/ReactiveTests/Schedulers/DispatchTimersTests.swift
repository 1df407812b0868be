import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool(limit: 300)) struct DispatchTimersTests {
  @Test func `dispatch timers fire in the order of their due times`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .userInitiated)
    let log = EventRecorder<Int>()
    let done = Latch(5)
    for delay in [40, 10, 30, 0, 20] {
      _ = scheduler.scheduleRelative(delay, dueTime: .milliseconds(delay)) {
        log.append($0)
        done.open()
        return Disposables.create()
      }
    }
    done.wait()
    #expect(log.events == [0, 10, 20, 30, 40])
  }

  @Test func `ten thousand dispatch timers fire when they are due unless they are cancelled`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .userInitiated)
    let fired = EventRecorder<Int>()
    let early = Atomic(0)
    let done = Latch(6_667)
    var timers: [any Disposable] = []
    for index in 0..<10_000 {
      // Shuffled due times, late enough to cancel timers before they fire.
      let delay = (index * 7_919) % 10_000
      let time = RxTimeInterval.microseconds(500_000 + delay * 20)
      let due = DispatchTime.now() + time
      timers.append(
        scheduler.scheduleRelative(delay, dueTime: time) {
          fired.append($0)
          if DispatchTime.now() < due { early.add(1, ordering: .relaxed) }
          done.open()
          return Disposables.create()
        }
      )
    }
    for index in timers.indices where (index * 7_919) % 10_000 % 3 == 1 { timers[index].dispose() }
    done.wait()
    #expect(fired.events.sorted() == (0..<10_000).filter { $0 % 3 != 1 })
    #expect(early.load(ordering: .relaxed) == 0)
  }

  @Test func `a periodic dispatch timer counts without gaps until disposal`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let log = EventRecorder<Int>()
    let done = Latch()
    let timer = SerialDisposable()
    timer.disposable = scheduler.schedulePeriodic(
      0,
      startAfter: .milliseconds(1),
      period: .milliseconds(1)
    ) { state in
      log.append(state)
      if state == 9 {
        timer.dispose()
        done.open()
      }
      return state + 1
    }
    done.wait()
    let flushed = Latch()
    _ = scheduler.scheduleRelative((), dueTime: .milliseconds(5)) {
      flushed.open()
      return Disposables.create()
    }
    flushed.wait()
    #expect(log.events == Array(0...9))
  }

  @Test func `a periodic dispatch timer skips missed periods`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let ticks = EventRecorder<Int>()
    let done = Latch()
    let timer = SerialDisposable()
    let blocker = DispatchSemaphore(value: 0)
    timer.disposable = scheduler.schedulePeriodic(
      0,
      startAfter: .milliseconds(5),
      period: .milliseconds(5)
    ) { state in
      ticks.append(state)
      // The first tick takes many periods.
      if state == 0 { _ = blocker.wait(timeout: .now() + .milliseconds(100)) }
      if state == 2 {
        timer.dispose()
        done.open()
      }
      return state + 1
    }
    let start = DispatchTime.now()
    done.wait()
    let elapsed = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
    #expect(ticks.events == [0, 1, 2])
    #expect(elapsed > 100_000_000)
  }

  @Test func `a cancelled dispatch timer releases its closure`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    #expect(
      isReleased { token in
        Observable<Int>.timer(.seconds(3600), scheduler: scheduler)
          .subscribe(onNext: { _ in token.hold() })
          .dispose()
      }
    )
    #expect(
      isReleased { token in
        Observable<Int>.interval(.seconds(3600), scheduler: scheduler)
          .subscribe(onNext: { _ in token.hold() })
          .dispose()
      }
    )
  }
}

#if canImport(CReactiveSystem) && !SANITIZED
import CReactiveSystem

// Each measurement runs in its own process: other tests allocate at the same time.

/// The heap bytes for each of `count` disposables that `make` returns.
private func bytesEach(_ count: Int, _ make: () -> any Disposable) -> Int {
  var held: [any Disposable] = []
  held.reserveCapacity(count)
  // The first call allocates the shared objects.
  held.append(make())
  let before = csystem_heap_in_use()
  for _ in 1..<count { held.append(make()) }
  let growth = Int(csystem_heap_in_use()) - Int(before)
  for each in held { each.dispose() }
  return growth / count
}

@Suite("Memory of dispatch timers", .workerPool) struct CrowdOfTimersTests {
  @Test func `a dispatch timer takes less than 200 bytes`() async {
    await #expect(processExitsWith: .success) {
      for scheduler: any SchedulerType in [
        SerialDispatchQueueScheduler(qos: .default),
        ConcurrentDispatchQueueScheduler(qos: .default),
      ] {
        let periodic = bytesEach(100_000) {
          scheduler.schedulePeriodic(0, startAfter: .seconds(60), period: .seconds(1)) { $0 + 1 }
        }
        precondition(periodic < 200, "\(periodic) bytes")
        let once = bytesEach(100_000) {
          scheduler.scheduleRelative((), dueTime: .seconds(60)) { Disposables.create() }
        }
        precondition(once < 200, "\(once) bytes")
      }
    }
  }

  @Test func `an interval with its subscription takes less than 400 bytes`() async {
    await #expect(processExitsWith: .success) {
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let interval = bytesEach(100_000) {
        Observable<Int>.interval(.seconds(60), scheduler: scheduler).subscribe(onNext: { _ in })
      }
      precondition(interval < 400, "\(interval) bytes")
    }
  }

  @Test func `disposed intervals leave no memory allocated`() async {
    await #expect(processExitsWith: .success) {
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let before = csystem_heap_in_use()
      _ = bytesEach(100_000) {
        Observable<Int>.interval(.seconds(60), scheduler: scheduler).subscribe(onNext: { _ in })
      }
      let growth = Int(csystem_heap_in_use()) - Int(before)
      precondition(growth < 64 * 1_024, "\(growth) bytes kept")
    }
  }
}
#endif
