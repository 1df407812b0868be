import Reactive
import ReactiveTesting
import Testing

@Suite struct TakeUntilTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `completes with the other's first element and disposes of both`() {
    let a = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(300)])
    let b = scheduler.createHotObservable([.next(225, 10), .next(226, 11)])
    let observer = scheduler.start { a.take(until: b) }
    #expect(observer.events == [.next(210, 1), .completed(225)])
    #expect(a.subscriptions == [Subscription(200, 225)])
    #expect(b.subscriptions == [Subscription(200, 225)])
  }

  @Test func `a completion of the other means nothing`() {
    let a = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(300)])
    let b = scheduler.createHotObservable([.completed(225, Int.self)])
    let observer = scheduler.start { a.take(until: b) }
    #expect(observer.events == [.next(210, 1), .next(230, 2), .completed(300)])
    #expect(a.subscriptions == [Subscription(200, 300)])
    #expect(b.subscriptions == [Subscription(200, 225)])
  }

  @Test func `an error of the other is the end`() {
    let a = scheduler.createHotObservable([.next(210, 1), .next(230, 2)])
    let b = scheduler.createHotObservable([.error(225, TestError.any, Int.self)])
    let observer = scheduler.start { a.take(until: b) }
    #expect(observer.events == [.next(210, 1), .error(225, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 225)])
  }

  @Test func `the end of the source disposes of the other`() {
    let a = scheduler.createHotObservable([.next(210, 1), .completed(215)])
    let b = scheduler.createHotObservable([.next(225, 10)])
    let observer = scheduler.start { a.take(until: b) }
    #expect(observer.events == [.next(210, 1), .completed(215)])
    #expect(b.subscriptions == [Subscription(200, 215)])
  }

  @Test func `another that emits at once means an empty result`() {
    #expect(Observable.of(1, 2).take(until: Observable.just(0)).written() == "|")
  }
}
