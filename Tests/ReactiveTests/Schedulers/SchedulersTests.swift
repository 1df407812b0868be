import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct DispatchQueueSchedulersTests {
  @Test func `a serial scheduler runs in order and one at a time`() {
    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
    let log = Log<Int>()
    let done = Latch()
    for number in 0..<1_000 {
      _ = scheduler.schedule(number) {
        log.append($0)
        if $0 == 999 { done.open() }
        return Disposables.create()
      }
    }
    done.wait()
    #expect(log.entries == Array(0..<1_000))
  }

  @Test func `work disposed of before its turn does not run and is released`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let (blocked, done) = (Latch(), Latch())
    let ran = Log<Int>()
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
    #expect(ran.entries.isEmpty)
  }

  @Test func `what work returned is disposed of with it`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let (ran, disposed) = (Latch(), Latch())
    let work = scheduler.schedule(()) {
      ran.open()
      return Disposables.create { disposed.open() }
    }
    ran.wait()
    // The result is taken in after the work has run: the queue's next work comes after that.
    let taken = Latch()
    _ = scheduler.schedule(()) {
      taken.open()
      return Disposables.create()
    }
    taken.wait()
    work.dispose()
    disposed.wait()
  }

  @Test func `a concurrent scheduler runs everything`() {
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

  @Test func `timers fire in the order of their times`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .userInitiated)
    let log = Log<Int>()
    let done = Latch(5)
    for delay in [40, 10, 30, 0, 20] {
      _ = scheduler.scheduleRelative(delay, dueTime: .milliseconds(delay)) {
        log.append($0)
        done.open()
        return Disposables.create()
      }
    }
    done.wait()
    #expect(log.entries == [0, 10, 20, 30, 40])
  }

  @Test func `ten thousand timers fire when they are due, less the cancelled ones`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .userInitiated)
    let fired = Log<Int>()
    let early = Atomic(0)
    let done = Latch(6_667)
    var timers: [any Disposable] = []
    for index in 0..<10_000 {
      // Shuffled, and late enough for all to be cancelled that will be.
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
    #expect(fired.entries.sorted() == (0..<10_000).filter { $0 % 3 != 1 })
    #expect(early.load(ordering: .relaxed) == 0)
  }

  @Test func `a periodic timer counts without gaps and stops when it is disposed of`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let log = Log<Int>()
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
    #expect(log.entries == Array(0...9))
  }

  @Test func `periods that have passed are skipped`() {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let ticks = Log<Int>()
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
    #expect(ticks.entries == [0, 1, 2])
    #expect(elapsed > 100_000_000)
  }

  @Test func `a cancelled timer of an hour holds nothing`() {
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

@Suite struct MainSchedulerTests {
  @MainActor
  @Test func `on main with nothing waiting it runs at once`() {
    let log = Log<Int>()
    _ = MainScheduler.instance.schedule(1) {
      log.append($0)
      return Disposables.create()
    }
    #expect(log.entries == [1])
  }

  @MainActor
  @Test func `the async instance waits for its turn`() async {
    let log = Log<Int>()
    let done = Latch()
    _ = MainScheduler.asyncInstance.schedule(1) {
      log.append($0)
      done.open()
      return Disposables.create()
    }
    #expect(log.entries.isEmpty)
    await done.opened()
    #expect(log.entries == [1])
  }

  @Test func `from elsewhere it runs on main, in order`() async {
    let log = Log<Int>()
    let onMain = Atomic(0)
    let done = Latch(100)
    let scheduler = MainScheduler()
    for number in 0..<100 {
      _ = scheduler.schedule(number) {
        log.append($0)
        if MainScheduler.isCurrent { onMain.add(1, ordering: .relaxed) }
        done.open()
        return Disposables.create()
      }
    }
    await done.opened()
    #expect(log.entries == Array(0..<100))
    #expect(onMain.load(ordering: .relaxed) == 100)
  }
}

@Suite struct HeapTests {
  @Test func `gives its elements back in order`() {
    var heap = Heap<Int>()
    var seed: UInt64 = 7
    var mirror: [Int] = []
    for _ in 0..<2_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1
      let element = Int(seed >> 40) % 500
      heap.insert(element, by: <)
      mirror.append(element)
    }
    heap.removeAll(where: { $0 % 3 == 0 }, by: <)
    mirror.removeAll { $0 % 3 == 0 }
    heap.replaceFirst(with: 250, by: <)
    mirror.sort()
    mirror[0] = 250
    mirror.sort()
    var popped: [Int] = []
    while let element = heap.popFirst(by: <) { popped.append(element) }
    #expect(popped == mirror)
  }
}

@Suite struct VirtualTimeSchedulerTests {
  @Test func `runs by time, then by order`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = Log<String>()
    for (time, name) in [(30, "c"), (10, "a"), (30, "d"), (20, "b")] {
      scheduler.scheduleAt(time) { log.append("\(name)\(scheduler.clock)") }
    }
    scheduler.start()
    #expect(log.entries == ["a10", "b20", "c30", "d30"])
  }

  @Test func `advanceTo runs what is due and moves the clock`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = Log<Int>()
    for time in [10, 20, 30] { scheduler.scheduleAt(time) { log.append(time) } }
    scheduler.advanceTo(25)
    #expect(log.entries == [10, 20])
    #expect(scheduler.clock == 25)
    scheduler.sleep(10)
    #expect(scheduler.clock == 35)
    #expect(log.entries == [10, 20])
    scheduler.start()
    #expect(log.entries == [10, 20, 30])
    #expect(scheduler.clock == 35)
  }

  @Test func `stop stops after the work that runs`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = Log<Int>()
    scheduler.scheduleAt(10) {
      log.append(10)
      scheduler.stop()
    }
    scheduler.scheduleAt(20) { log.append(20) }
    scheduler.start()
    #expect(log.entries == [10])
    scheduler.start()
    #expect(log.entries == [10, 20])
  }

  @Test func `disposed work does not run, nor move the clock`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = Log<Int>()
    scheduler.scheduleRelativeVirtual((), dueTime: 50) {
      log.append(1)
      return Disposables.create()
    }
    .dispose()
    scheduler.start()
    #expect(log.entries.isEmpty)
    #expect(scheduler.clock == 0)
  }

  @Test func `disposed work holds nothing`() {
    let scheduler = TestScheduler(initialClock: 0)
    #expect(
      isReleased { token in
        Observable<Int>.timer(.seconds(100), scheduler: scheduler)
          .subscribe(onNext: { _ in token.hold() })
          .dispose()
      }
    )
  }
}
