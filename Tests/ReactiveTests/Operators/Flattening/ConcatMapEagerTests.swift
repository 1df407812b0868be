import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ConcatMapEagerTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `concatMapEager runs all observables concurrently and emits them in order`() {
    let slow = scheduler.createColdObservable([.next(10, 1), .next(40, 2), .completed(50)])
    let fast = scheduler.createColdObservable([.next(5, 3), .next(10, 4), .completed(15)])
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let observer = scheduler.start { source.concatMapEager { $0 == 1 ? slow : fast } }
    #expect(
      observer.events == [
        .next(220, 1), .next(250, 2), .next(260, 3), .next(260, 4), .completed(260),
      ])
    #expect(slow.subscriptions == [Subscription(210, 260)])
    #expect(fast.subscriptions == [Subscription(220, 235)])
  }

  @Test func `concatMapEager ends at once with an error of a buffered observable`() {
    let slow = scheduler.createColdObservable([.next(10, 1), .next(90, 2)])
    let failing = scheduler.createColdObservable([.next(5, 3), .error(15, TestError.any)])
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let observer = scheduler.start { source.concatMapEager { $0 == 1 ? slow : failing } }
    #expect(observer.events == [.next(220, 1), .error(235, TestError.any)])
    #expect(slow.subscriptions == [Subscription(210, 235)])
  }

  @Test func `concatMapEager emits elements that arrive during a flush after the buffered ones`() {
    let sources = [PublishSubject<Int>(), PublishSubject<Int>()]
    let log = EventRecorder<String>()
    let subscription = Observable.of(0, 1).concatMapEager { sources[$0] }
      .do(onNext: { element in
        guard element == 10 else { return }
        sources[1].onNext(12)
        sources[1].onCompleted()
      })
      .record(in: log)
    sources[1].onNext(10)
    sources[1].onNext(11)
    sources[0].onNext(1)
    sources[0].onCompleted()
    #expect(log.events == ["1", "10", "11", "12", "|"])
    subscription.dispose()
  }

  @Test func `concatMapEager emits elements of two threads in the order of their observables`() {
    for _ in 0..<50 {
      let sources = [PublishSubject<Int>(), PublishSubject<Int>()]
      let log = EventRecorder<Int>()
      let subscription = Observable.of(0, 1).concatMapEager { sources[$0] }
        .subscribe(onNext: { log.append($0) })
      onThreads(2) { index in
        for element in 0..<500 { sources[index].onNext(index * 500 + element) }
        sources[index].onCompleted()
      }
      #expect(log.events == Array(0..<1000))
      subscription.dispose()
    }
  }

  @Test func `a sender takes over the delivery of a long queue`() {
    let sources = [PublishSubject<Int>(), PublishSubject<Int>()]
    let log = EventRecorder<Int>()
    let isDelivering = Latch()
    let subscription = Observable.of(0, 1).concatMapEager { sources[$0] }
      .subscribe(onNext: { element in
        log.append(element)
        if element == 0 { isDelivering.open() }
        // A slow observer.
        for _ in 0..<500 { _ = threadIdentity() }
      })
    let count = 50_000
    for element in 0..<count { sources[1].onNext(element) }
    let isOver = Atomic(false)
    onThreads(2) { index in
      if index == 0 {
        sources[0].onCompleted()
        #expect(log.count < count)
        isOver.store(true, ordering: .relaxed)
        subscription.dispose()
      } else {
        isDelivering.wait()
        var next = count
        while !isOver.load(ordering: .relaxed), next < 2 * count {
          sources[1].onNext(next)
          next += 1
        }
      }
    }
    #expect(log.events == Array(0..<log.count))
  }

  @Test func `a long queue is delivered in order, and the completion after it`() {
    let sources = (0..<3).map { _ in PublishSubject<Int>() }
    let log = EventRecorder<String>()
    let subscription = Observable.of(0, 1, 2).concatMapEager { sources[$0] }
      .do(onNext: { element in
        guard element == 150 else { return }
        sources[1].onNext(200)
        sources[1].onCompleted()
      })
      .record(in: log)
    for element in 100..<200 { sources[1].onNext(element) }
    for element in 201..<300 { sources[2].onNext(element) }
    sources[2].onCompleted()
    sources[0].onCompleted()
    #expect(log.events == (100..<300).map { "\($0)" } + ["|"])
    subscription.dispose()
  }
}
