import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct DebounceTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `an element is emitted once the source has been quiet`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .next(240, 3), .next(300, 4), .completed(400),
    ])
    let observer = scheduler.start { source.debounce(.seconds(20), scheduler: scheduler) }
    #expect(observer.events == [.next(235, 2), .next(260, 3), .next(320, 4), .completed(400)])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test func `a completion emits what waits`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(390, 2), .completed(400)])
    let observer = scheduler.start { source.debounce(.seconds(20), scheduler: scheduler) }
    #expect(observer.events == [.next(230, 1), .next(400, 2), .completed(400)])
  }

  @Test func `an error drops what waits`() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(215, TestError.any)])
    let observer = scheduler.start { source.debounce(.seconds(20), scheduler: scheduler) }
    #expect(observer.events == [.error(215, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test func `disposal drops what waits and lets go of the timer`() {
    let source = scheduler.createHotObservable([.next(210, 1)])
    let observer = scheduler.start(disposed: 220) {
      source.debounce(.seconds(20), scheduler: scheduler)
    }
    #expect(observer.events.isEmpty)
    #expect(scheduler.clock == 220)
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `a timer that had begun to fire when it was replaced emits nothing`() {
    let (source, scheduler, log) = (PublishSubject<Int>(), HandScheduler(), Log<String>())
    let subscription = source.debounce(.seconds(2), scheduler: scheduler).write(to: log)
    source.onNext(1)
    source.onNext(2)
    scheduler.fire(0)
    #expect(log.entries.isEmpty)
    scheduler.fire(1)
    #expect(log.entries == ["2"])
    source.onNext(3)
    scheduler.fire(1)
    #expect(log.entries == ["2"])
    source.onCompleted()
    #expect(log.entries == ["2", "3", "|"])
    subscription.dispose()
  }
}
