import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct SkipTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(150, 9), .next(210, 1), .next(220, 2), .next(230, 2), .next(240, 3), .completed(250),
      .next(260, 8),
    ])
  }

  @Test func `skip drops the first elements`() {
    let observer = scheduler.start { source.skip(2) }
    #expect(observer.events == [.next(230, 2), .next(240, 3), .completed(250)])
    #expect(Observable.of(1, 2).skip(0).recorded() == "1 2 |")
    #expect(Observable.of(1, 2).skip(5).recorded() == "|")
  }

  @Test func `skip(while:) begins with the first element that fails its predicate`() {
    let observer = scheduler.start { source.skip(while: { $0 < 2 }) }
    #expect(
      observer.events == [.next(220, 2), .next(230, 2), .next(240, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(play("-1-3-1|") { source, _ in source.skip(while: { $0 < "3" }) } == "---3-1|")
    #expect(play("-1-x") { source, _ in source.skip(while: { _ in true }) } == "---x")
  }

  @Test func `skip(while:) ends with an error of its predicate`() {
    let observer = scheduler.start { source.skip(while: { _ in throw TestError.any }) }
    #expect(observer.events == [.error(210, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test func `skip(until:) begins after the notifier's first element and disposes of the notifier`()
  {
    let other = scheduler.createHotObservable([
      .next(225, 0), .next(235, 0), .error(240, TestError.any),
    ])
    let observer = scheduler.start { source.skip(until: other) }
    #expect(observer.events == [.next(230, 2), .next(240, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(200, 225)])
  }

  @Test func `skip(until:) emits nothing after the notifier completes and ends with its error`() {
    let completed = scheduler.createHotObservable([.completed(225, Int.self)])
    let observer = scheduler.start { source.skip(until: completed) }
    #expect(observer.events.isEmpty)
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(completed.subscriptions == [Subscription(200, 225)])
    #expect(play("-a-b|", "--x") { a, b, _ in a.skip(until: b) } == "--x")
    #expect(play("-a-x", "------") { a, b, _ in a.skip(until: b) } == "---x")
  }

  @Test func `skip(until:) disposes of the notifier when the source completes first`() {
    let other = scheduler.createHotObservable([.next(300, 0)])
    let observer = scheduler.start { source.skip(until: other) }
    #expect(observer.events.isEmpty)
    #expect(other.subscriptions == [Subscription(200, 250)])
  }

  @Test func `skip(_:scheduler:) begins after its duration`() {
    let observer = scheduler.start { source.skip(.seconds(25), scheduler: scheduler) }
    #expect(observer.events == [.next(230, 2), .next(240, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(play("-a-|") { $0.skip(.seconds(9), scheduler: $1) } == "---|")
    #expect(play("-a-x") { $0.skip(.seconds(9), scheduler: $1) } == "---x")
  }

  @Test func `disposal of skip(_:scheduler:) cancels its timer`() {
    let observer = scheduler.start(disposed: 215) {
      source.skip(.seconds(300), scheduler: scheduler)
    }
    #expect(observer.events.isEmpty)
    #expect(scheduler.clock < 300)
  }
}
