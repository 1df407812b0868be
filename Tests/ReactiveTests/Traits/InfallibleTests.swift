import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite(.workerPool(limit: 300)) struct InfallibleTests {
  private let log = EventRecorder<String>()

  @Test func `an infallible starts again for each observer and ignores events after the end`() {
    let infallible = Infallible<Int>.create { [log] observer in
      log.append("subscribed")
      observer(.next(1))
      observer(.completed)
      observer(.next(2))
      observer(.completed)
      return Disposables.create { log.append("disposed") }
    }
    for _ in 0..<2 { infallible.asObservable().record(in: log).dispose() }
    #expect(
      log.events == [
        "subscribed", "1", "|", "disposed", "subscribed", "1", "|", "disposed",
      ])
  }

  @Test func `InfallibleEvent converts to an event`() {
    #expect(InfallibleEvent.next(1).event == .next(1))
    #expect(InfallibleEvent<Int>.completed.event == .completed)
  }

  @Test func `creation functions of infallibles emit on a given scheduler`() {
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

  @Test func `asInfallible replaces an error by an element, an infallible or a closure's result`() {
    let failing = Observable<Int>.error(TestError.any)
    #expect(failing.asInfallible(onErrorJustReturn: 7).asObservable().recorded() == "7 |")
    #expect(failing.asInfallible(onErrorFallbackTo: .just(8)).asObservable().recorded() == "8 |")
    #expect(
      failing.asInfallible(onErrorRecover: { _ in .just(9) }).asObservable().recorded() == "9 |")
  }

  @Test func `relays, drivers and signals convert to infallibles`() {
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

  @Test func `Infallible.subscribe accepts events, closures and closures with an object`() {
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
      log.events == [
        "next(1)", "completed", "1", "|", "disposed", "Token 1", "|", "disposed",
      ])
  }

  @Test func `Infallible.subscribe(with:) holds its object weakly`() {
    let (log, subject) = (log, PublishSubject<Int>())
    let isReleased = isReleased { token in
      _ = subject.asInfallible(onErrorJustReturn: 0).subscribe(
        with: token, onNext: { log.append("\($1)") }, onCompleted: { _ in log.append("|") })
      subject.onNext(1)
    }
    subject.onNext(2)
    subject.onCompleted()
    #expect(isReleased)
    #expect(log.events == ["1"])
  }

  @Test func `Infallible.share shares one subscription`() {
    let subject = PublishSubject<Int>()
    let shared = subject.do(onSubscribe: { [log] in log.append("subscribed") })
      .asInfallible(onErrorJustReturn: 0).share(replay: 1)
    let bag = DisposeBag()
    shared.asObservable().record(in: log, "a").disposed(by: bag)
    subject.onNext(1)
    shared.asObservable().record(in: log, "b").disposed(by: bag)
    #expect(log.events == ["subscribed", "a1", "b1"])
  }

  @Test func `operators of time on infallibles use the given scheduler`() {
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

  @Test func `Infallible.take(until:) ignores an error of its notifier`() {
    func taken(until other: String) -> String {
      play("abcd|", other) { a, b, _ in a.asInfallible(onErrorJustReturn: "!").take(until: b) }
    }
    #expect(taken(until: "--1") == "ab[c|]")
    #expect(taken(until: "--x") == "abcd|")
    #expect(taken(until: "--|") == "abcd|")
  }

  @Test func `Infallible.skip(until:) ignores an error of its notifier`() {
    func skipped(until other: String) -> String {
      play("abcd|", other) { a, b, _ in a.asInfallible(onErrorJustReturn: "!").skip(until: b) }
    }
    #expect(skipped(until: "--1") == "---d|")
    #expect(skipped(until: "--x") == "-----")
  }

  @Test func `Infallible.values delivers all elements`() async {
    var elements: [Int] = []
    for await element in Infallible.of(1, 2).values { elements.append(element) }
    #expect(elements == [1, 2])
  }
}
