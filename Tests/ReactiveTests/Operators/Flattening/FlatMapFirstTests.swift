import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct FlatMapFirstTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `flatMapFirst drops elements while an inner observable runs`() {
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

  @Test func `flatMapFirst ends with an error of the source, the inner observable or the closure`()
  {
    #expect(
      play("-ax") { source, _ in source.flatMapFirst { _ in Observable<Int>.never() } } == "--x")
    #expect(
      play("-a-|") { source, _ in source.flatMapFirst { _ in Observable<Int>.error(TestError.any) }
      }
        == "-x")
    let throwing = Observable.of(1).flatMapFirst { _ -> Observable<Int> in throw TestError.any }
    #expect(throwing.recorded() == "x")
  }

  @Test
  func `flatMapFirst drops an element that is sent while a synchronous inner observable emits`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    _ = subject.flatMapFirst { Observable.just($0) }.do(onNext: { subject.onNext($0 + 1) }).record(
      in: log)
    subject.onNext(1)
    #expect(log.events == ["1"])
    subject.onNext(5)
    subject.onCompleted()
    #expect(log.events == ["1", "5", "|"])
  }

  @Test func `flatMapFirst does not call its closure for dropped elements`() {
    let (subject, calls) = (PublishSubject<Int>(), EventRecorder<Int>())
    let subscription = subject.flatMapFirst { element -> Observable<Int> in
      calls.append(element)
      return .never()
    }.subscribe()
    subject.onNext(1)
    subject.onNext(2)
    #expect(calls.events == [1])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }
}
