import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct ZipTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `pairs the first with the first and so on`() {
    let a = scheduler.createHotObservable([
      .next(205, 1), .next(210, 2), .next(230, 3), .completed(240),
    ])
    let b = scheduler.createHotObservable([.next(220, 10), .next(225, 20), .completed(250)])
    let observer = scheduler.start { Observable.zip(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(220, 11), .next(225, 22), .completed(250)])
    #expect(a.subscriptions == [Subscription(200, 240)])
    #expect(b.subscriptions == [Subscription(200, 250)])
  }

  @Test func `the first error ends it`() {
    let a = scheduler.createHotObservable([.next(205, 1), .error(240, TestError.any)])
    let b = scheduler.createHotObservable([.next(220, 10), .completed(250)])
    let observer = scheduler.start { Observable.zip(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(220, 11), .error(240, TestError.any)])
    #expect(b.subscriptions == [Subscription(200, 240)])
  }

  @Test func `an error thrown by the selector ends it and disposes of the sources`() {
    let a = scheduler.createHotObservable([.next(205, 1), .next(206, 2)])
    let b = scheduler.createHotObservable([.next(220, 10), .completed(250)])
    let observer = scheduler.start { Observable<Int>.zip(a, b) { _, _ in throw TestError.any } }
    #expect(observer.events == [.error(220, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 220)])
    #expect(b.subscriptions == [Subscription(200, 220)])
  }

  @Test func `completes when both have, though one has nothing`() {
    let a = scheduler.createHotObservable([.completed(210, Int.self)])
    let b = scheduler.createHotObservable([.next(215, 1), .completed(220)])
    let observer = scheduler.start { Observable.zip(a, b) { $0 + $1 } }
    #expect(observer.events == [.completed(220)])
    #expect(a.subscriptions == [Subscription(200, 210)])
    #expect(b.subscriptions == [Subscription(200, 220)])
  }

  @Test func `makes tuples`() {
    #expect(
      Observable.zip(Observable.of(1, 2, 3), Observable.of("a", "b")).written()
        == #"(1, "a") (2, "b") |"#
    )
  }

  @Test func `no pair is lost or mixed up between threads`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let log = Log<Int>()
    let completions = Atomic(0)
    _ = Observable.zip(a, b) { ($0, $1) }.subscribe(
      onNext: { if $0 == $1 { log.append($0) } },
      onCompleted: { completions.add(1, ordering: .relaxed) }
    )
    onThreads(2) { index in
      let subject = index == 0 ? a : b
      for element in 0..<20_000 { subject.onNext(element) }
      subject.onCompleted()
    }
    #expect(log.entries == Array(0..<20_000))
    #expect(completions.load(ordering: .relaxed) == 1)
  }
}
