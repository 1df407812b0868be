import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct FlatMapFirstTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `elements that come while one runs are dropped`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .next(240, 3), .completed(250),
    ])
    let inner = scheduler.createColdObservable([.next(5, 0), .next(20, 0), .completed(25)])
    let observer = scheduler.start {
      source.flatMapFirst { outer in inner.asObservable().map { _ in outer } }
    }
    #expect(
      observer.events == [
        .next(215, 1), .next(230, 1), .next(245, 3), .next(260, 3), .completed(265),
      ]
    )
    #expect(inner.subscriptions == [Subscription(210, 235), Subscription(240, 265)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test func `errors end it: of the source, of what runs, of the closure`() {
    #expect(
      play("-ax") { source, _ in source.flatMapFirst { _ in Observable<Int>.never() } } == "--x")
    #expect(
      play("-a-|") { source, _ in source.flatMapFirst { _ in Observable<Int>.error(TestError.any) }
      }
        == "-x")
    let throwing = Observable.of(1).flatMapFirst { _ -> Observable<Int> in throw TestError.any }
    #expect(throwing.written() == "x")
  }

  @Test func `one that is delivered at once runs until then`() {
    let (subject, log) = (PublishSubject<Int>(), Log<String>())
    _ = subject.flatMapFirst { Observable.just($0) }.do(onNext: { subject.onNext($0 + 1) }).write(
      to: log)
    subject.onNext(1)
    #expect(log.entries == ["1"])
    subject.onNext(5)
    subject.onCompleted()
    #expect(log.entries == ["1", "5", "|"])
  }

  @Test func `the closure is not called for what is dropped`() {
    let (subject, calls) = (PublishSubject<Int>(), Log<Int>())
    let subscription = subject.flatMapFirst { element -> Observable<Int> in
      calls.append(element)
      return .never()
    }.subscribe()
    subject.onNext(1)
    subject.onNext(2)
    #expect(calls.entries == [1])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }
}
