import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite(.workerPool(limit: 300)) struct InfallibleTests {
  private let log = Log<String>()

  @Test func `runs anew for each observer, who hears nothing after the end`() {
    let infallible = Infallible<Int>.create { [log] observer in
      log.append("subscribed")
      observer(.next(1))
      observer(.completed)
      observer(.next(2))
      observer(.completed)
      return Disposables.create { log.append("disposed") }
    }
    for _ in 0..<2 { infallible.asObservable().write(to: log).dispose() }
    #expect(
      log.entries == [
        "subscribed", "1", "|", "disposed", "subscribed", "1", "|", "disposed",
      ])
  }

  @Test func `an event is one of an observable too`() {
    #expect(InfallibleEvent.next(1).event == .next(1))
    #expect(InfallibleEvent<Int>.completed.event == .completed)
  }

  @Test func `elements are delivered on a scheduler when one is given`() {
    let scheduler = TestScheduler(initialClock: 0)
    #expect(
      scheduler.start { Infallible.just(1, scheduler: scheduler) }.events
        == [.next(201, 1), .completed(202)])
    let more = TestScheduler(initialClock: 0)
    #expect(
      more.start { Infallible.of(1, 2, scheduler: more) }.events
        == [.next(201, 1), .next(202, 2), .completed(203)])
    let last = TestScheduler(initialClock: 0)
    #expect(
      last.start { Infallible.from(1...2, scheduler: last) }.events
        == [.next(201, 1), .next(202, 2), .completed(203)])
  }

  @Test func `an error becomes an element, an infallible or what a closure makes`() {
    let failing = Observable<Int>.error(TestError.any)
    #expect(failing.asInfallible(onErrorJustReturn: 7).asObservable().written() == "7 |")
    #expect(failing.asInfallible(onErrorFallbackTo: .just(8)).asObservable().written() == "8 |")
    #expect(
      failing.asInfallible(onErrorRecover: { _ in .just(9) }).asObservable().written() == "9 |")
  }

  @Test func `relays, drivers and signals become infallibles`() {
    let events = mocked { scheduler in
      let relay = PublishRelay<String>()
      scheduler.scheduleAt(210) { relay.accept("publish") }
      return Infallible.merge(
        relay.asInfallible(), BehaviorRelay(value: "behavior").asInfallible(),
        Driver.just("driver").asInfallible(), Signal.just("signal").asInfallible(),
        Infallible.just("itself").asInfallible())
    }
    #expect(
      events == [
        .next(200, "behavior"), .next(200, "itself"), .next(201, "driver"),
        .next(201, "signal"), .next(210, "publish"),
      ])
  }

  @Test func `subscribes events, closures and closures with an object`() {
    let infallible = Infallible.just(1)
    let (log, token) = (log, Token())
    _ = infallible.subscribe { log.append("\($0)") }
    _ = infallible.subscribe(
      onNext: { log.append("\($0)") }, onCompleted: { log.append("|") },
      onDisposed: { log.append("disposed") })
    _ = infallible.subscribe(
      with: token, onNext: { log.append("\(type(of: $0)) \($1)") },
      onCompleted: { _ in log.append("|") }, onDisposed: { _ in log.append("disposed") })
    _ = infallible.subscribe()
    #expect(
      log.entries == [
        "next(1)", "completed", "1", "|", "disposed", "Token 1", "|", "disposed",
      ])
  }

  @Test func `an object is held weakly`() {
    let (log, subject) = (log, PublishSubject<Int>())
    let isReleased = isReleased { token in
      _ = subject.asInfallible(onErrorJustReturn: 0).subscribe(
        with: token, onNext: { log.append("\($1)") }, onCompleted: { _ in log.append("|") })
      subject.onNext(1)
    }
    subject.onNext(2)
    subject.onCompleted()
    #expect(isReleased)
    #expect(log.entries == ["1"])
  }

  @Test func `is shared when told to be`() {
    let subject = PublishSubject<Int>()
    let shared = subject.do(onSubscribe: { [log] in log.append("subscribed") })
      .asInfallible(onErrorJustReturn: 0).share(replay: 1)
    let bag = DisposeBag()
    shared.asObservable().write(to: log, "a").disposed(by: bag)
    subject.onNext(1)
    shared.asObservable().write(to: log, "b").disposed(by: bag)
    #expect(log.entries == ["subscribed", "a1", "b1"])
  }

  @Test func `operators take the scheduler they run on`() {
    func times(
      _ transform: @escaping (Infallible<Character>, TestScheduler) -> Infallible<Character>
    ) -> String {
      play("ab---c-|") { transform($0.asInfallible(onErrorJustReturn: "!"), $1) }
    }
    #expect(times { $0.debounce(.seconds(2), scheduler: $1) } == "---b---[c|]")
    #expect(times { $0.throttle(.seconds(2), scheduler: $1) } == "a-b--c-|")
    #expect(times { $0.throttle(.seconds(2), latest: false, scheduler: $1) } == "a----c-|")
    #expect(times { $0.delay(.seconds(2), scheduler: $1) } == "--ab---c-|")
    #expect(times { $0.take(for: .seconds(3), scheduler: $1) } == "ab-|")
    #expect(times { $0.observe(on: $1) } == "ab---c-|")
    #expect(times { $0.subscribe(on: $1) } == "-b---c-|")
  }

  @Test func `is taken until an observable emits, and no longer minds its error`() {
    func taken(until other: String) -> String {
      play("abcd|", other) { a, b, _ in a.asInfallible(onErrorJustReturn: "!").take(until: b) }
    }
    #expect(taken(until: "--1") == "ab[c|]")
    #expect(taken(until: "--x") == "abcd|")
    #expect(taken(until: "--|") == "abcd|")
  }

  @Test func `is skipped until an observable emits, and no longer minds its error`() {
    func skipped(until other: String) -> String {
      play("abcd|", other) { a, b, _ in a.asInfallible(onErrorJustReturn: "!").skip(until: b) }
    }
    #expect(skipped(until: "--1") == "---d|")
    #expect(skipped(until: "--x") == "-----")
  }

  @Test func `values of an infallible`() async {
    var elements: [Int] = []
    for await element in Infallible.of(1, 2).values { elements.append(element) }
    #expect(elements == [1, 2])
  }
}
