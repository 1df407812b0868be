import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct TransformingTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(150, 9), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250), .next(260, 8),
      .completed(270),
    ])
  }

  @Test func `map`() {
    let observer = scheduler.start { source.map { $0 * 10 } }
    #expect(observer.events == [.next(210, 10), .next(220, 20), .next(230, 30), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test func `an error thrown by map's closure is the end`() {
    let observer = scheduler.start {
      source.map { element -> Int in
        if element == 2 { throw TestError.any }
        return element
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `an error of the source passes`() {
    let failing = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start { failing.map { $0 }.scan(0, accumulator: +).compactMap { $0 } }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(failing.subscriptions == [Subscription(200, 220)])
  }

  @Test func `compactMap leaves out nil and ends with what is thrown`() {
    let observer = scheduler.start {
      source.compactMap { element -> Int? in
        if element == 3 { throw TestError.any }
        return element == 1 ? nil : element
      }
    }
    #expect(observer.events == [.next(220, 2), .error(230, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test func `scan accumulates for each subscription by itself`() {
    let sums = Observable.of(1, 2, 3).scan(10, accumulator: +)
    #expect(sums.written() == "11 13 16 |")
    #expect(sums.written() == "11 13 16 |")
    #expect(Observable.of(1, 2).scan(into: []) { $0.append($1) }.written() == "[1] [1, 2] |")
  }

  @Test func `an error thrown by scan's closure is the end`() {
    let observer = scheduler.start {
      source.scan(0) { sum, element in
        if element == 2 { throw TestError.any }
        return sum + element
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `startWith emits before the source is subscribed`() {
    let log = Log<String>()
    let bag = DisposeBag()
    Observable.of(3).do(onSubscribe: { log.append("subscribed") }).startWith(1, 2).write(to: log)
      .disposed(by: bag)
    #expect(log.entries == ["1", "2", "subscribed", "3", "|"])
    let observer = scheduler.start { source.startWith(0).take(2) }
    #expect(observer.events == [.next(200, 0), .next(210, 1), .completed(210)])
  }

  @Test func `disposal inside an element is silence from there on`() {
    let own = SerialDisposable()
    let log = Log<String>()
    let subject = PublishSubject<Int>()
    own.disposable = subject.map { $0 }.filter { _ in true }.scan(0, accumulator: +)
      .do(onNext: { if $0 >= 3 { own.dispose() } })
      .write(to: log)
    for element in 1...4 { subject.onNext(element) }
    subject.onCompleted()
    #expect(log.entries == ["1"])
    #expect(!subject.hasObservers)
  }
}
