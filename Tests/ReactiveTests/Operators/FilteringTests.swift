import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct FilteringTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(150, 9), .next(210, 1), .next(220, 2), .next(230, 2), .next(240, 3), .completed(250),
      .next(260, 8),
    ])
  }

  @Test func `filter passes what its closure wants`() {
    let observer = scheduler.start { source.filter { $0 != 2 } }
    #expect(observer.events == [.next(210, 1), .next(240, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test func `an error thrown by filter's closure is the end`() {
    let observer = scheduler.start {
      source.filter { if $0 == 2 { throw TestError.any } else { true } }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `take completes with its last element and disposes of the source`() {
    let observer = scheduler.start { source.take(2) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `take of more than there is passes all`() {
    #expect(Observable.of(1, 2).take(5).written() == "1 2 |")
  }

  @Test func `take of nothing does not subscribe`() {
    let observer = scheduler.start { source.take(0) }
    #expect(observer.events == [.completed(200)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `take counts elements that are sent while it delivers one`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    _ = subject.take(2).do(onNext: { if $0 < 3 { subject.onNext($0 + 1) } }).write(to: log)
    subject.onNext(1)
    #expect(log.entries == ["2", "|"])
    #expect(!subject.hasObservers)
  }

  @Test func `skip leaves out the first`() {
    let observer = scheduler.start { source.skip(2) }
    #expect(observer.events == [.next(230, 2), .next(240, 3), .completed(250)])
    #expect(Observable.of(1, 2).skip(0).written() == "1 2 |")
    #expect(Observable.of(1, 2).skip(5).written() == "|")
  }

  @Test func `distinctUntilChanged leaves out repetitions`() {
    let observer = scheduler.start { source.distinctUntilChanged() }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(240, 3), .completed(250)])
  }

  @Test func `distinctUntilChanged by key, by comparer and by property`() {
    struct Named: Equatable, Sendable { var name: String }
    let numbers = Observable.of(1, 3, 2, 4, 5)
    #expect(numbers.distinctUntilChanged { $0 % 2 }.written() == "1 2 5 |")
    #expect(numbers.distinctUntilChanged { $0 % 2 == $1 % 2 }.written() == "1 2 5 |")
    #expect(numbers.distinctUntilChanged({ $0 / 2 }, comparer: ==).written() == "1 3 4 |")
    let named = Observable.of(Named(name: "a"), Named(name: "a"), Named(name: "b"))
    #expect(named.distinctUntilChanged(at: \.name).map(\.name).written() == "a b |")
  }

  @Test func `errors thrown by its closures end distinctUntilChanged`() {
    let byKey = scheduler.start {
      source.distinctUntilChanged { element -> Int in
        if element == 2 { throw TestError.any }
        return element
      }
    }
    #expect(byKey.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    let byComparer = Observable.of(1, 2).distinctUntilChanged { (_, _) throws -> Bool in
      throw TestError.any
    }
    #expect(byComparer.written() == "1 x")
  }
}
