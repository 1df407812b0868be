import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct DebounceTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `debounce emits an element after the source has been silent`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .next(240, 3), .next(300, 4), .completed(400),
    ])
    let observer = scheduler.start { source.debounce(.seconds(20), scheduler: scheduler) }
    #expect(observer.events == [.next(235, 2), .next(260, 3), .next(320, 4), .completed(400)])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test func `debounce emits the pending element at completion`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(390, 2), .completed(400)])
    let observer = scheduler.start { source.debounce(.seconds(20), scheduler: scheduler) }
    #expect(observer.events == [.next(230, 1), .next(400, 2), .completed(400)])
  }

  @Test func `debounce drops the pending element on an error`() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(215, TestError.any)])
    let observer = scheduler.start { source.debounce(.seconds(20), scheduler: scheduler) }
    #expect(observer.events == [.error(215, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test func `disposal of debounce drops the pending element and cancels the timer`() {
    let source = scheduler.createHotObservable([.next(210, 1)])
    let observer = scheduler.start(disposed: 220) {
      source.debounce(.seconds(20), scheduler: scheduler)
    }
    #expect(observer.events.isEmpty)
    #expect(scheduler.clock == 220)
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `debounce ignores a replaced timer that fires late`() {
    let (source, scheduler, log) = (
      PublishSubject<Int>(), ManualScheduler(), EventRecorder<String>()
    )
    let subscription = source.debounce(.seconds(2), scheduler: scheduler).record(in: log)
    source.onNext(1)
    source.onNext(2)
    scheduler.fire(0)
    #expect(log.events.isEmpty)
    scheduler.fire(1)
    #expect(log.events == ["2"])
    source.onNext(3)
    scheduler.fire(1)
    #expect(log.events == ["2"])
    source.onCompleted()
    #expect(log.events == ["2", "3", "|"])
    subscription.dispose()
  }
}
