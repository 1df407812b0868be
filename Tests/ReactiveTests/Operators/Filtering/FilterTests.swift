import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct FilterTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(150, 9), .next(210, 1), .next(220, 2), .next(230, 2), .next(240, 3), .completed(250),
      .next(260, 8),
    ])
  }

  @Test func `filter emits the elements that satisfy its predicate`() {
    let observer = scheduler.start { source.filter { $0 != 2 } }
    #expect(observer.events == [.next(210, 1), .next(240, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test func `filter ends with an error of its predicate and disposes of the source`() {
    let observer = scheduler.start {
      source.filter { if $0 == 2 { throw TestError.any } else { true } }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `distinctUntilChanged drops equal consecutive elements`() {
    let observer = scheduler.start { source.distinctUntilChanged() }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(240, 3), .completed(250)])
  }

  @Test func `distinctUntilChanged compares by key, comparer or key path`() {
    struct Named: Equatable, Sendable { var name: String }
    let numbers = Observable.of(1, 3, 2, 4, 5)
    #expect(numbers.distinctUntilChanged { $0 % 2 }.recorded() == "1 2 5 |")
    #expect(numbers.distinctUntilChanged { $0 % 2 == $1 % 2 }.recorded() == "1 2 5 |")
    #expect(numbers.distinctUntilChanged({ $0 / 2 }, comparer: ==).recorded() == "1 3 4 |")
    let named = Observable.of(Named(name: "a"), Named(name: "a"), Named(name: "b"))
    #expect(named.distinctUntilChanged(at: \.name).map(\.name).recorded() == "a b |")
  }

  @Test func `distinctUntilChanged ends with errors of its closures`() {
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
    #expect(byComparer.recorded() == "1 x")
  }

  @Test func `element(at:) completes with its element and disposes of the source`() {
    let observer = scheduler.start { source.element(at: 1) }
    #expect(observer.events == [.next(220, 2), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(play("a-b-|") { source, _ in source.element(at: 0) } == "[a|]")
    #expect(play("a-x") { source, _ in source.element(at: 1) } == "--x")
  }

  @Test func `element(at:) fails when the source has too few elements`() {
    let observer = scheduler.start { source.element(at: 4) }
    #expect(observer.events == [.error(250, RxError.argumentOutOfRange)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test func `element(at:) emits once when its observer sends to the source`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    _ = subject.element(at: 0).do(onNext: { subject.onNext($0 + 1) }).record(in: log)
    subject.onNext(1)
    #expect(log.events == ["1", "|"])
  }

  @Test func `first emits the first element or nil`() {
    #expect(play("-a-b-|") { source, _ in source.first().map { $0 ?? "0" } } == "-[a|]")
    #expect(play("---|") { source, _ in source.first().map { $0 ?? "0" } } == "---[0|]")
    #expect(play("--x") { source, _ in source.first().map { $0 ?? "0" } } == "--x")
    _ = scheduler.start { source.first() }
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test func `single emits the only element when it arrives and fails after a second one`() {
    #expect(play("-a-|") { source, _ in source.single() } == "-a-|")
    #expect(play("-a-x") { source, _ in source.single() } == "-a-x")
    #expect(play("-ab-|") { source, _ in source.single() } == "-ax")
    let observer = scheduler.start { source.single() }
    #expect(observer.events == [.next(210, 1), .error(220, RxError.moreThanOneElement)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    let none = scheduler.createHotObservable([.completed(1_050, Int.self)])
    let log = scheduler.start(created: 1_010, subscribed: 1_020, disposed: 1_100) { none.single() }
    #expect(log.events == [.error(1_050, RxError.noElements)])
  }

  @Test func `single with a predicate counts the elements that satisfy it`() {
    #expect(play("-abc|") { source, _ in source.single { $0 == "b" } } == "--b-|")
    #expect(play("-abcb|") { source, _ in source.single { $0 == "b" } } == "--b-x")
    let observer = scheduler.start { source.single { _ in throw TestError.any } }
    #expect(observer.events == [.error(210, TestError.any)])
  }

  @Test func `ignoreElements emits only the end`() {
    #expect(play("-a-b-|") { source, _ in source.ignoreElements() } == "-----|")
    #expect(play("-a-b-x") { source, _ in source.ignoreElements() } == "-----x")
    let observer = scheduler.start { source.ignoreElements() }
    #expect(observer.events.map(\.time) == [250])
  }

  @Test func `ifEmpty(default:) emits the default before the completion`() {
    #expect(play("---|") { source, _ in source.ifEmpty(default: "z") } == "---[z|]")
    #expect(play("-a-|") { source, _ in source.ifEmpty(default: "z") } == "-a-|")
    #expect(play("---x") { source, _ in source.ifEmpty(default: "z") } == "---x")
  }

  @Test func `ifEmpty(switchTo:) disposes of the empty source and continues with the other`() {
    let empty = scheduler.createHotObservable([.completed(210, Int.self), .completed(220)])
    let other = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let observer = scheduler.start { empty.ifEmpty(switchTo: other.asObservable()) }
    #expect(observer.events == [.next(220, 1), .completed(230)])
    #expect(empty.subscriptions == [Subscription(200, 210)])
    #expect(other.subscriptions == [Subscription(210, 230)])
  }

  @Test func `ifEmpty(switchTo:) does not subscribe to the other after an element or an error`() {
    let other = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let observer = scheduler.start { source.ifEmpty(switchTo: other.asObservable()) }
    #expect(observer.events.count == 5)
    #expect(play("--x") { source, _ in source.ifEmpty(switchTo: .just("a")) } == "--x")
    #expect(other.subscriptions.isEmpty)
  }
}
