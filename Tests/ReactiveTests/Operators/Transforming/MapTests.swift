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

  @Test func `map transforms each element`() {
    let observer = scheduler.start { source.map { $0 * 10 } }
    #expect(observer.events == [.next(210, 10), .next(220, 20), .next(230, 30), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test func `map ends with an error of its closure`() {
    let observer = scheduler.start {
      source.map { element -> Int in
        if element == 2 { throw TestError.any }
        return element
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `map, scan and compactMap pass an error of the source through`() {
    let failing = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start { failing.map { $0 }.scan(0, accumulator: +).compactMap { $0 } }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(failing.subscriptions == [Subscription(200, 220)])
  }

  @Test func `compactMap drops nil and ends with an error of its closure`() {
    let observer = scheduler.start {
      source.compactMap { element -> Int? in
        if element == 3 { throw TestError.any }
        return element == 1 ? nil : element
      }
    }
    #expect(observer.events == [.next(220, 2), .error(230, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test func `scan accumulates separately for each subscription`() {
    let sums = Observable.of(1, 2, 3).scan(10, accumulator: +)
    #expect(sums.recorded() == "11 13 16 |")
    #expect(sums.recorded() == "11 13 16 |")
    #expect(Observable.of(1, 2).scan(into: []) { $0.append($1) }.recorded() == "[1] [1, 2] |")
  }

  @Test func `scan ends with an error of its closure`() {
    let observer = scheduler.start {
      source.scan(0) { sum, element in
        if element == 2 { throw TestError.any }
        return sum + element
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `the closure of scan can send to the source`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<[Int]>())
    let subscription =
      subject
      .scan([Int]()) { list, element in
        if element < 3 { subject.onNext(element + 1) }
        return list + [element]
      }
      .subscribe(onNext: { log.append($0) })
    subject.onNext(1)
    // Each call received the state from before the nested calls.
    #expect(log.events == [[3], [2], [1]])
    subscription.dispose()
  }

  @Test func `startWith emits its elements before the subscription to the source`() {
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    Observable.of(3).do(onSubscribe: { log.append("subscribed") }).startWith(1, 2).record(in: log)
      .disposed(by: bag)
    #expect(log.events == ["1", "2", "subscribed", "3", "|"])
    let observer = scheduler.start { source.startWith(0).take(2) }
    #expect(observer.events == [.next(200, 0), .next(210, 1), .completed(210)])
  }

  @Test func `disposal in onNext stops a chain of operators`() {
    let own = SerialDisposable()
    let log = EventRecorder<String>()
    let subject = PublishSubject<Int>()
    own.disposable = subject.map { $0 }.filter { _ in true }.scan(0, accumulator: +)
      .do(onNext: { if $0 >= 3 { own.dispose() } })
      .record(in: log)
    for element in 1...4 { subject.onNext(element) }
    subject.onCompleted()
    #expect(log.events == ["1"])
    #expect(!subject.hasObservers)
  }

  @Test func `enumerated counts from zero for each subscription`() {
    let numbered = Observable.of("a", "b").enumerated().map { "\($0.index)\($0.element)" }
    #expect(numbered.recorded() == "0a 1b |")
    #expect(numbered.recorded() == "0a 1b |")
    #expect(play("-a-x") { source, _ in source.enumerated().map(\.index) } == "-0-x")
  }

  @Test func `enumerated counts elements that its observer sends`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    _ = subject.enumerated().do(onNext: { if $0.index == 0 { subject.onNext(7) } })
      .map { "\($0.index):\($0.element)" }.record(in: log)
    subject.onNext(5)
    #expect(log.events == ["1:7", "0:5"])
  }

  @Test func `materialize emits every event as an element and completes`() {
    let observer = scheduler.start { source.materialize() }
    #expect(
      observer.events == [
        .next(210, .next(1)), .next(220, .next(2)), .next(230, .next(3)), .next(250, .completed),
        .completed(250),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 250)])
    let failing = Observable<Int>.error(TestError.any).materialize().map { "\($0.isStopEvent)" }
    #expect(failing.recorded() == "true |")
  }

  @Test func `dematerialize converts elements to events and ends with the first end`() {
    let events = scheduler.createHotObservable([
      .next(210, Event.next(1)), .next(220, .next(2)), .next(230, .error(TestError.any)),
      .next(240, .next(3)), .completed(250),
    ])
    let observer = scheduler.start { events.dematerialize() }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .error(230, TestError.any)])
    #expect(events.subscriptions == [Subscription(200, 230)])
    #expect(play("-a-b|") { source, _ in source.materialize().dematerialize() } == "-a-b|")
    #expect(play("-a-x") { source, _ in source.materialize().dematerialize() } == "-a-x")
    #expect(Observable<Event<Int>>.error(TestError.any).dematerialize().recorded() == "x")
  }

  @Test func `decode emits decoded values and fails for invalid data`() {
    struct Name: Decodable, Equatable, Sendable { let name: String }
    let source = Observable.of("{\"name\":\"a\"}", "{", "{\"name\":\"b\"}").map { Data($0.utf8) }
    let log = EventRecorder<String>()
    source.decode(type: Name.self, decoder: JSONDecoder()).map(\.name).record(in: log).dispose()
    #expect(log.events == ["a", "x"])
  }

  @Test func `withUnretained passes its object and completes after the object's release`() {
    final class Owner: Sendable { let name = "owner" }
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    var owner: Owner? = Owner()
    weak let seen = owner
    if let owner {
      _ = subject.withUnretained(owner).map { "\($0.name) \($1)" }.record(in: log)
      _ = subject.withUnretained(owner, resultSelector: { $1 }).record(in: log, "> ")
    }
    subject.onNext(1)
    owner = nil
    #expect(seen == nil)
    #expect(log.events == ["owner 1", "> 1"])
    subject.onNext(2)
    #expect(log.events.suffix(2) == ["|", "> |"])
    #expect(!subject.hasObservers)
  }
}
