import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TakeTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(150, 9), .next(210, 1), .next(220, 2), .next(230, 2), .next(240, 3), .completed(250),
      .next(260, 8),
    ])
  }

  @Test func `take completes with its last element and disposes of the source`() {
    let observer = scheduler.start { source.take(2) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `take of more elements than the source has emits all`() {
    #expect(Observable.of(1, 2).take(5).recorded() == "1 2 |")
  }

  @Test func `take(0) completes without a subscription`() {
    let observer = scheduler.start { source.take(0) }
    #expect(observer.events == [.completed(200)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `take counts elements that its observer sends`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    _ = subject.take(2).do(onNext: { if $0 < 3 { subject.onNext($0 + 1) } }).record(in: log)
    subject.onNext(1)
    #expect(log.events == ["2", "|"])
    #expect(!subject.hasObservers)
  }

  @Test func `take(until:) completes with the notifier's first element and disposes of both`() {
    let a = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(300)])
    let b = scheduler.createHotObservable([.next(225, 10), .next(226, 11)])
    let observer = scheduler.start { a.take(until: b) }
    #expect(observer.events == [.next(210, 1), .completed(225)])
    #expect(a.subscriptions == [Subscription(200, 225)])
    #expect(b.subscriptions == [Subscription(200, 225)])
  }

  @Test func `take(until:) ignores the completion of its notifier`() {
    let a = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(300)])
    let b = scheduler.createHotObservable([.completed(225, Int.self)])
    let observer = scheduler.start { a.take(until: b) }
    #expect(observer.events == [.next(210, 1), .next(230, 2), .completed(300)])
    #expect(a.subscriptions == [Subscription(200, 300)])
    #expect(b.subscriptions == [Subscription(200, 225)])
  }

  @Test func `take(until:) ends with an error of its notifier`() {
    let a = scheduler.createHotObservable([.next(210, 1), .next(230, 2)])
    let b = scheduler.createHotObservable([.error(225, TestError.any, Int.self)])
    let observer = scheduler.start { a.take(until: b) }
    #expect(observer.events == [.next(210, 1), .error(225, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 225)])
  }

  @Test func `take(until:) disposes of the notifier when the source ends`() {
    let a = scheduler.createHotObservable([.next(210, 1), .completed(215)])
    let b = scheduler.createHotObservable([.next(225, 10)])
    let observer = scheduler.start { a.take(until: b) }
    #expect(observer.events == [.next(210, 1), .completed(215)])
    #expect(b.subscriptions == [Subscription(200, 215)])
  }

  @Test func `take(until:) completes at once when the notifier emits during subscribe`() {
    #expect(Observable.of(1, 2).take(until: Observable.just(0)).recorded() == "|")
  }

  @Test func `take(while:) completes at the first element that fails its predicate`() {
    let observer = scheduler.start { source.take(while: { $0 < 3 }) }
    #expect(
      observer.events == [.next(210, 1), .next(220, 2), .next(230, 2), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
    #expect(play("-1-3|") { source, _ in source.take(while: { $0 < "9" }) } == "-1-3|")
    #expect(play("-1-x") { source, _ in source.take(while: { $0 < "9" }) } == "-1-x")
  }

  @Test func `take with the behavior inclusive emits the last element`() {
    #expect(
      play("-1-3-1|") { source, _ in source.take(while: { $0 < "3" }, behavior: .inclusive) }
        == "-1-[3|]")
    #expect(
      play("-1-3-1|") { source, _ in source.take(until: { $0 == "3" }, behavior: .inclusive) }
        == "-1-[3|]")
    #expect(play("-1-3-1|") { source, _ in source.take(until: { $0 == "3" }) } == "-1-|")
  }

  @Test func `take(while:) and take(until:) end with errors of their predicates`() {
    let observer = scheduler.start {
      source.take(while: { if $0 == 2 { throw TestError.any } else { true } })
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(
      play("-1-2|") { source, _ in source.take(until: { _ in throw TestError.any }) } == "-x")
  }

  @Test func `take(while:) does not call its predicate after its last element`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    _ = subject.take(while: { $0 < 1 }, behavior: .inclusive)
      .do(onNext: { subject.onNext($0 - 1) })
      .record(in: log)
    subject.onNext(1)
    #expect(log.events == ["1", "|"])
  }

  @Test func `take(for:) completes after its duration`() {
    let observer = scheduler.start { source.take(for: .seconds(25), scheduler: scheduler) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .completed(225)])
    #expect(source.subscriptions == [Subscription(200, 225)])
    #expect(play("-a-|") { $0.take(for: .seconds(9), scheduler: $1) } == "-a-|")
    #expect(play("-a-x") { $0.take(for: .seconds(9), scheduler: $1) } == "-a-x")
  }

  @Test func `takeLast emits the last elements when the source completes`() {
    let observer = scheduler.start { source.takeLast(2) }
    #expect(observer.events == [.next(250, 2), .next(250, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(Observable.of(1, 2).takeLast(5).recorded() == "1 2 |")
    #expect(Observable.of(1, 2).takeLast(0).recorded() == "|")
    #expect(play("-a-x") { source, _ in source.takeLast(1) } == "---x")
  }

  @Test func `takeLast emits nothing after disposal by one of its elements`() {
    #expect(Observable.of(1, 2, 3).takeLast(3).take(2).recorded() == "1 2 |")
  }
}
