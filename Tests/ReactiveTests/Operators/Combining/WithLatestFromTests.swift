import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct WithLatestFromTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `withLatestFrom pairs each element with the latest of the second source`() {
    let a = scheduler.createHotObservable([
      .next(205, 1), .next(215, 2), .next(235, 3), .completed(260),
    ])
    let b = scheduler.createHotObservable([.next(210, 10), .next(230, 20), .completed(232)])
    let observer = scheduler.start { a.withLatestFrom(b) { $0 + $1 } }
    #expect(observer.events == [.next(215, 12), .next(235, 23), .completed(260)])
    #expect(a.subscriptions == [Subscription(200, 260)])
    #expect(b.subscriptions == [Subscription(200, 232)])
  }

  @Test func `withLatestFrom ends with an error of either source`() {
    let a = scheduler.createHotObservable([.next(215, 2), .next(235, 3), .completed(260)])
    let b = scheduler.createHotObservable([.next(210, 10), .error(232, TestError.any)])
    let observer = scheduler.start { a.withLatestFrom(b) }
    #expect(observer.events == [.next(215, 10), .error(232, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 232)])
  }

  @Test func `withLatestFrom disposes of the second source when the first completes`() {
    let a = scheduler.createHotObservable([.completed(260, Int.self)])
    let b = scheduler.createHotObservable([.next(210, 10)])
    let observer = scheduler.start { a.withLatestFrom(b) }
    #expect(observer.events == [.completed(260)])
    #expect(b.subscriptions == [Subscription(200, 260)])
  }

  @Test func `withLatestFrom ends with a selector's error and disposes of both sources`() {
    let a = scheduler.createHotObservable([.next(215, 2)])
    let b = scheduler.createHotObservable([.next(210, 10)])
    let observer = scheduler.start {
      a.withLatestFrom(b) { (_, _) throws -> Int in throw TestError.any }
    }
    #expect(observer.events == [.error(215, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 215)])
    #expect(b.subscriptions == [Subscription(200, 215)])
  }
}
