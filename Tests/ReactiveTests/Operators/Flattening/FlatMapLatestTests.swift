import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct FlatMapLatestTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `flatMapLatest disposes of the previous inner observable`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(300)])
    let inner = scheduler.createColdObservable([.next(10, 10), .next(25, 11), .completed(100)])
    let observer = scheduler.start { source.flatMapLatest { _ in inner } }
    #expect(
      observer.events == [
        .next(220, 10), .next(240, 10), .next(255, 11), .completed(330),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 300)])
    #expect(inner.subscriptions == [Subscription(210, 230), Subscription(230, 330)])
  }

  @Test func `flatMapLatest completes with the source when no inner observable runs`() {
    let source = scheduler.createHotObservable([.next(210, 1), .completed(300)])
    let inner = scheduler.createColdObservable([.next(10, 10), .completed(20)])
    let observer = scheduler.start { source.flatMapLatest { _ in inner } }
    #expect(observer.events == [.next(220, 10), .completed(300)])
  }

  @Test func `flatMapLatest ends with an inner error and disposes of the source`() {
    let source = scheduler.createHotObservable([.next(210, 1), .completed(300)])
    let inner = scheduler.createColdObservable([.next(10, 10), .error(20, TestError.any)])
    let observer = scheduler.start { source.flatMapLatest { _ in inner } }
    #expect(observer.events == [.next(220, 10), .error(230, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(inner.subscriptions == [Subscription(210, 230)])
  }

  @Test
  func `flatMapLatest ends with a selector's error and disposes of source and inner observable`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(300)])
    let inner = scheduler.createColdObservable([.next(10, 10), .next(50, 11)])
    let observer = scheduler.start {
      source.flatMapLatest {
        if $0 == 2 { throw TestError.any }
        return inner
      }
    }
    #expect(observer.events == [.next(220, 10), .error(230, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(inner.subscriptions == [Subscription(210, 230)])
  }

  @Test func `flatMapLatest disposes of the previous inner observable for just and empty`() {
    let live = PublishSubject<Int>()
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let subscription =
      source.flatMapLatest { element -> Observable<Int> in
        switch element {
        case 0: live.asObservable()
        case 1: .empty()
        default: .just(element)
        }
      }
      .record(in: log)
    source.onNext(0)
    live.onNext(10)
    source.onNext(2)
    #expect(!live.hasObservers)
    source.onNext(3)
    source.onNext(0)
    live.onNext(20)
    source.onNext(1)
    #expect(!live.hasObservers)
    #expect(log.events == ["10", "2", "3", "20"])
    source.onCompleted()
    #expect(log.events == ["10", "2", "3", "20", "|"])
    subscription.dispose()
  }

  @Test func `flatMapLatest keeps an inner observable that the observer of a just started`() {
    let live = PublishSubject<Int>()
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let subscription = source.flatMapLatest { $0 == 0 ? live.asObservable() : .just($0) }
      .do(onNext: { if $0 == 1 { source.onNext(0) } })
      .record(in: log)
    source.onNext(0)
    source.onNext(1)
    source.onCompleted()
    live.onNext(5)
    #expect(log.events == ["1", "5"])
    live.onCompleted()
    #expect(log.events == ["1", "5", "|"])
    subscription.dispose()
  }

  @Test func `flatMapLatest replaces its observable when its closure has ended the source`() {
    for next in [Observable.just(1), .empty(), .of(1)] {
      let (source, live, log) = (
        PublishSubject<Int>(), PublishSubject<Int>(), EventRecorder<String>()
      )
      let subscription = source.flatMapLatest { element -> Observable<Int> in
        if element == 0 { return live.asObservable() }
        source.onCompleted()
        return next
      }
      .record(in: log)
      source.onNext(0)
      source.onNext(1)
      #expect(log.events.last == "|")
      #expect(!live.hasObservers)
      subscription.dispose()
    }
  }

  @Test func `switchLatest emits the elements of the latest observable`() {
    let first = scheduler.createHotObservable([.next(220, 1), .next(240, 2), .completed(400)])
    let second = scheduler.createHotObservable([.next(220, 8), .next(260, 9), .completed(270)])
    let source = scheduler.createHotObservable([
      .next(210, first), .next(230, second), .completed(250),
    ])
    let observer = scheduler.start { source.switchLatest() }
    #expect(observer.events == [.next(220, 1), .next(260, 9), .completed(270)])
    #expect(first.subscriptions == [Subscription(210, 230)])
    #expect(second.subscriptions == [Subscription(230, 270)])
  }

  @Test func `flatMapLatest replaces an inner observable that sends to the source`() {
    let source = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let subscription =
      source
      .flatMapLatest { element in
        Observable<Int>.create { observer in
          observer.onNext(element * 10)
          if element < 3 { source.onNext(element + 1) }
          observer.onNext(element * 10 + 1)
          return Disposables.create()
        }
      }
      .record(in: log)
    source.onNext(1)
    #expect(log.events == ["10", "20", "30", "31"])
    subscription.dispose()
    #expect(!source.hasObservers)
  }

  @Test func `flatMapLatest ignores the end of an observable that is being replaced`() {
    let source = PublishSubject<Int>()
    let inners = [PublishSubject<Int>(), PublishSubject<Int>()]
    let log = EventRecorder<String>()
    let subscription =
      source
      .flatMapLatest { index -> Observable<Int> in
        // Another thread ends the first observable while the closure makes the second one.
        if index == 1 { onAnotherThread { inners[0].onCompleted() } }
        return inners[index]
      }
      .record(in: log)
    source.onNext(0)
    inners[0].onNext(5)
    source.onNext(1)
    source.onCompleted()
    #expect(log.events == ["5"])
    inners[1].onNext(6)
    inners[1].onCompleted()
    #expect(log.events == ["5", "6", "|"])
    subscription.dispose()
  }

  @Test func `flatMapLatest drops queued events of a replaced observable`() {
    let source = PublishSubject<Int>()
    let inners = [PublishSubject<Int>(), PublishSubject<Int>()]
    let log = EventRecorder<String>()
    let subscription = source.flatMapLatest { inners[$0] }
      .do(onNext: { element in
        // During this delivery, the old observable sends and ends on another thread; then the
        // new one replaces it.
        if element == 5 {
          onAnotherThread {
            inners[0].onNext(99)
            inners[0].onCompleted()
          }
          source.onNext(1)
          source.onCompleted()
        }
      })
      .record(in: log)
    source.onNext(0)
    inners[0].onNext(5)
    #expect(log.events == ["5"])
    inners[1].onNext(6)
    inners[1].onCompleted()
    #expect(log.events == ["5", "6", "|"])
    subscription.dispose()
  }

  @Test func `flatMapLatest handles a newer element while an inner subscribe call runs`() {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let subscription =
      source
      .flatMapLatest { number -> Observable<Int> in
        if number == 2 { return .just(20) }
        return .create { observer in
          onAnotherThread { source.onNext(2) }
          observer.onNext(10)
          return Disposables.create { log.append("disposed") }
        }
      }
      .record(in: log)
    source.onNext(1)
    #expect(log.events == ["20", "disposed"])
    source.onCompleted()
    #expect(log.events == ["20", "disposed", "|"])
    subscription.dispose()
  }
}
