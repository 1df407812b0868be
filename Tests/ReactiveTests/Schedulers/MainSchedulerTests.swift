import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool(limit: 300)) struct MainSchedulerTests {
  @MainActor
  @Test func `MainScheduler runs work at once on the main thread`() {
    let log = EventRecorder<Int>()
    _ = MainScheduler().schedule(1) {
      log.append($0)
      return Disposables.create()
    }
    #expect(log.events == [1])
  }

  @MainActor
  @Test func `MainScheduler.asyncInstance enqueues its work`() async {
    let log = EventRecorder<Int>()
    let done = Latch()
    _ = MainScheduler.asyncInstance.schedule(1) {
      log.append($0)
      done.open()
      return Disposables.create()
    }
    #expect(log.events.isEmpty)
    await done.opened()
    #expect(log.events == [1])
  }

  @Test func `MainScheduler runs work of other threads on the main thread in order`() async {
    let log = EventRecorder<Int>()
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
    #expect(log.events == Array(0..<100))
    #expect(onMain.load(ordering: .relaxed) == 100)
  }

  @MainActor
  @Test func `MainScheduler runs nested work after the current work`() async {
    let log = EventRecorder<String>()
    let done = Latch(2)
    let scheduler = MainScheduler()
    let nested: @Sendable (String) -> any Disposable = { name in
      _ = scheduler.schedule(()) {
        log.append("inner \(name)")
        done.open()
        return Disposables.create()
      }
      log.append("outer \(name)")
      return Disposables.create()
    }
    // The same order for work that runs at once and for enqueued work.
    _ = scheduler.schedule("here", action: nested)
    onAnotherThread { _ = scheduler.schedule("there", action: nested) }
    await done.opened()
    #expect(log.events == ["outer here", "inner here", "outer there", "inner there"])
  }

  @MainActor
  @Test func `ConcurrentMainScheduler runs nested work at once on the main thread`() async {
    let log = EventRecorder<Int>()
    let done = Latch()
    let scheduler = ConcurrentMainScheduler.instance
    onAnotherThread {
      _ = scheduler.schedule(3) {
        log.append(MainScheduler.isCurrent ? $0 : -1)
        done.open()
        return Disposables.create()
      }
    }
    _ = scheduler.schedule(1) { number in
      _ = scheduler.schedule(number + 1) {
        log.append($0)
        return Disposables.create()
      }
      log.append(number)
      return Disposables.create()
    }
    #expect(log.events == [2, 1])
    await done.opened()
    #expect(log.events == [2, 1, 3])
  }
}
