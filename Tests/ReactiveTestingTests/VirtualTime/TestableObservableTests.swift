import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TestableObservableTests {
  @Test func `a hot observable emits to current observers, a cold observable to each separately`() {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = scheduler.createHotObservable([.next(150, 1), .next(250, 2), .completed(300)])
    let cold = scheduler.createColdObservable([.next(10, 3), .completed(20)])
    let first = scheduler.createObserver(Int.self)
    let second = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(100) { _ = hot.subscribe(first) }
    scheduler.scheduleAt(200) { _ = hot.subscribe(second) }
    scheduler.scheduleAt(400) { _ = cold.subscribe(first) }
    scheduler.scheduleAt(405) { _ = cold.subscribe(second) }
    scheduler.start()
    #expect(
      first.events == [
        .next(150, 1), .next(250, 2), .completed(300), .next(410, 3), .completed(420),
      ]
    )
    #expect(second.events == [.next(250, 2), .completed(300), .next(415, 3), .completed(425)])
    #expect(hot.subscriptions == [Subscription(100, 300), Subscription(200, 300)])
    #expect(cold.subscriptions == [Subscription(400, 420), Subscription(405, 425)])
    #expect(hot.recordedEvents.count == 3)
  }

  @Test func `a recorded subscription without disposal has no end`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([Recorded<Event<Int>>]())
    scheduler.scheduleAt(50) { _ = source.subscribe() }
    scheduler.start()
    #expect(source.subscriptions == [Subscription(50)])
    #expect("\(source.subscriptions)" == "[(50 : Infinity)]")
  }

  @Test func `a cold observable emits nothing after disposal`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([.next(100, 1), .next(300, 2)])
    let observer = scheduler.start(disposed: 400) { source }
    #expect(observer.events == [.next(300, 1)])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test func `a cold observable counts its times from the subscription`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([.next(0, 1), .next(5, 2), .error(9, Failure())])
    let observer = scheduler.start { source }
    #expect(observer.events == [.next(200, 1), .next(205, 2), .error(209, Failure())])
    #expect(source.subscriptions == [Subscription(200, 209)])
  }

  @Test func `a hot observable emits to other observers after one disposal`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2), .next(30, 3)])
    let first = scheduler.createObserver(Int.self)
    let second = scheduler.createObserver(Int.self)
    let subscription = source.subscribe(first)
    _ = source.asObservable().subscribe(second)
    scheduler.scheduleAt(15) { subscription.dispose() }
    scheduler.start()
    #expect(first.events == [.next(10, 1)])
    #expect(second.events == [.next(10, 1), .next(20, 2), .next(30, 3)])
    #expect(source.subscriptions == [Subscription(0, 15), Subscription(0)])
  }

  @Test func `an observer that received a terminal event receives no later event`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.completed(210), .next(220, 1), .completed(230)])
    let observer = scheduler.start { source }
    #expect(observer.events == [.completed(210)])
    #expect(source.recordedEvents == [.completed(210), .next(220, 1), .completed(230)])
  }

  @Test func `an observer that subscribes after a terminal event receives later events`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.completed(210), .next(220, 1), .completed(230)])
    let late = scheduler.start(created: 0, subscribed: 215, disposed: 300) { source }
    #expect(late.events == [.next(220, 1), .completed(230)])
  }

  private struct Failure: Error {}
}
