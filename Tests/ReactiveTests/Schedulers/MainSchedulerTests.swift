import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool(limit: 300)) struct MainSchedulerTests {
  @MainActor
  @Test func `on main with nothing waiting it runs at once`() {
    let log = Log<Int>()
    _ = MainScheduler().schedule(1) {
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

  @MainActor
  @Test func `what work on main schedules waits for its turn`() async {
    let log = Log<String>()
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
    // At once here, in the queue's turn from elsewhere: the same order.
    _ = scheduler.schedule("here", action: nested)
    onAnotherThread { _ = scheduler.schedule("there", action: nested) }
    await done.opened()
    #expect(log.entries == ["outer here", "inner here", "outer there", "inner there"])
  }

  @MainActor
  @Test func `the concurrent instance never waits on main`() async {
    let log = Log<Int>()
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
    #expect(log.entries == [2, 1])
    await done.opened()
    #expect(log.entries == [2, 1, 3])
  }
}
