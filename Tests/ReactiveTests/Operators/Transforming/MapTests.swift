import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct MapTests {
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

  @Test func `scan's closure may emit into the source`() {
    let (subject, log) = (PublishSubject<Int>(), Log<[Int]>())
    let subscription =
      subject
      .scan([Int]()) { list, element in
        if element < 3 { subject.onNext(element + 1) }
        return list + [element]
      }
      .subscribe(onNext: { log.append($0) })
    subject.onNext(1)
    // Each began with what there was before the others.
    #expect(log.entries == [[3], [2], [1]])
    subscription.dispose()
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

  @Test func `enumerated counts from zero, for each subscription by itself`() {
    let numbered = Observable.of("a", "b").enumerated().map { "\($0.index)\($0.element)" }
    #expect(numbered.written() == "0a 1b |")
    #expect(numbered.written() == "0a 1b |")
    #expect(play("-a-x") { source, _ in source.enumerated().map(\.index) } == "-0-x")
  }

  @Test func `enumerated numbers what is sent while it delivers one`() {
    let (subject, log) = (PublishSubject<Int>(), Log<String>())
    _ = subject.enumerated().do(onNext: { if $0.index == 0 { subject.onNext(7) } })
      .map { "\($0.index):\($0.element)" }.write(to: log)
    subject.onNext(5)
    #expect(log.entries == ["1:7", "0:5"])
  }

  @Test func `materialize makes elements of all events and completes after the end`() {
    let observer = scheduler.start { source.materialize() }
    #expect(
      observer.events == [
        .next(210, .next(1)), .next(220, .next(2)), .next(230, .next(3)), .next(250, .completed),
        .completed(250),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 250)])
    let failing = Observable<Int>.error(TestError.any).materialize().map { "\($0.isStopEvent)" }
    #expect(failing.written() == "true |")
  }

  @Test func `dematerialize makes events of all elements and ends with the first that ends`() {
    let events = scheduler.createHotObservable([
      .next(210, Event.next(1)), .next(220, .next(2)), .next(230, .error(TestError.any)),
      .next(240, .next(3)), .completed(250),
    ])
    let observer = scheduler.start { events.dematerialize() }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .error(230, TestError.any)])
    #expect(events.subscriptions == [Subscription(200, 230)])
    #expect(play("-a-b|") { source, _ in source.materialize().dematerialize() } == "-a-b|")
    #expect(play("-a-x") { source, _ in source.materialize().dematerialize() } == "-a-x")
    #expect(Observable<Event<Int>>.error(TestError.any).dematerialize().written() == "x")
  }

  @Test func `decode makes values of data and fails where there is none`() {
    struct Name: Decodable, Equatable, Sendable { let name: String }
    let source = Observable.of("{\"name\":\"a\"}", "{", "{\"name\":\"b\"}").map { Data($0.utf8) }
    let log = Log<String>()
    source.decode(type: Name.self, decoder: JSONDecoder()).map(\.name).write(to: log).dispose()
    #expect(log.entries == ["a", "x"])
  }

  @Test func `withUnretained passes its object, and completes once it was released`() {
    final class Owner: Sendable { let name = "owner" }
    let (subject, log) = (PublishSubject<Int>(), Log<String>())
    var owner: Owner? = Owner()
    weak let seen = owner
    if let owner {
      _ = subject.withUnretained(owner).map { "\($0.name) \($1)" }.write(to: log)
      _ = subject.withUnretained(owner, resultSelector: { $1 }).write(to: log, "> ")
    }
    subject.onNext(1)
    owner = nil
    #expect(seen == nil)
    #expect(log.entries == ["owner 1", "> 1"])
    subject.onNext(2)
    #expect(log.entries.suffix(2) == ["|", "> |"])
    #expect(!subject.hasObservers)
  }
}
