import Reactive
import ReactiveTesting
import Testing

@Suite struct CombineLatestTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `emits when any changes, once all are there`() {
    let a = scheduler.createHotObservable([.next(205, 1), .next(215, 2), .completed(230)])
    let b = scheduler.createHotObservable([.next(210, 10), .next(240, 20), .completed(250)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(210, 11), .next(215, 12), .next(240, 22), .completed(250)])
    #expect(a.subscriptions == [Subscription(200, 230)])
    #expect(b.subscriptions == [Subscription(200, 250)])
  }

  @Test func `completes once one without an element has and another emits`() {
    let a = scheduler.createHotObservable([.completed(210, Int.self)])
    let b = scheduler.createHotObservable([.next(215, 1), .completed(220)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.completed(215)])
    #expect(b.subscriptions == [Subscription(200, 215)])
  }

  @Test func `the first error ends it`() {
    let a = scheduler.createHotObservable([.next(205, 1), .error(230, TestError.any)])
    let b = scheduler.createHotObservable([.next(210, 10), .next(240, 20)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(210, 11), .error(230, TestError.any)])
    #expect(b.subscriptions == [Subscription(200, 230)])
  }

  @Test func `an error thrown by the selector ends it and disposes of the sources`() {
    let a = scheduler.createHotObservable([.next(205, 1)])
    let b = scheduler.createHotObservable([.next(210, 10)])
    let observer = scheduler.start {
      Observable<Int>.combineLatest(a, b) { _, _ in throw TestError.any }
    }
    #expect(observer.events == [.error(210, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 210)])
    #expect(b.subscriptions == [Subscription(200, 210)])
  }

  @Test func `three sources and tuples`() {
    let a = BehaviorRelay(value: 1)
    let b = BehaviorRelay(value: "b")
    let c = BehaviorRelay(value: true)
    let log = Log<String>()
    let bag = DisposeBag()
    Observable.combineLatest(a, b, c).write(to: log).disposed(by: bag)
    Observable.combineLatest(a, b).write(to: log, "pair ").disposed(by: bag)
    a.accept(2)
    #expect(
      log.entries == [
        #"(1, "b", true)"#, #"pair (1, "b")"#, #"(2, "b", true)"#, #"pair (2, "b")"#,
      ]
    )
  }

  @Test func `sources of many elements take turns`() {
    let both = Observable.combineLatest(Observable.of(1, 2, 3), Observable.of(10, 20, 30)) {
      $0 + $1
    }
    #expect(both.written() == "11 12 22 23 33 |")
  }

  @Test func `the latest of two threads is what was sent last`() {
    for _ in 0..<50 {
      let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
      let log = Log<(Int, Int)>()
      let subscription = Observable.combineLatest(a, b).subscribe(onNext: { log.append($0) })
      onThreads(2) { index in
        for element in 0..<500 { (index == 0 ? a : b).onNext(element) }
      }
      #expect(log.entries.last.map { $0 == (499, 499) } == true)
      #expect(
        zip(log.entries, log.entries.dropFirst()).allSatisfy { $0.0 + $0.1 + 1 == $1.0 + $1.1 }
      )
      subscription.dispose()
    }
  }
}
