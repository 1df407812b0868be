import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct DoTests {
  private func watched(_ source: Observable<Int>, _ log: EventRecorder<String>) -> Observable<Int> {
    source.do(
      onNext: { log.append("next \($0)") },
      afterNext: { log.append("after \($0)") },
      onError: { _ in log.append("error") },
      afterError: { _ in log.append("after error") },
      onCompleted: { log.append("completed") },
      afterCompleted: { log.append("after completed") },
      onSubscribe: { log.append("subscribe") },
      onSubscribed: { log.append("subscribed") },
      onDispose: { log.append("dispose") }
    )
  }

  @Test func `do calls its closures in order around a completion`() {
    let log = EventRecorder<String>()
    let subject = PublishSubject<Int>()
    _ = watched(subject, log).subscribe(
      onNext: { log.append("\($0)") },
      onCompleted: { log.append("|") },
      onDisposed: { log.append("disposed") }
    )
    subject.onNext(1)
    subject.onCompleted()
    #expect(
      log.events == [
        "subscribe", "subscribed", "next 1", "1", "after 1", "completed", "|", "disposed",
        "after completed", "dispose",
      ]
    )
  }

  @Test func `do calls its closures in order around an error`() {
    let log = EventRecorder<String>()
    let subject = PublishSubject<Int>()
    _ = watched(subject, log).subscribe(
      onError: { _ in log.append("x") },
      onDisposed: { log.append("disposed") }
    )
    subject.onError(TestError.any)
    #expect(
      log.events == [
        "subscribe", "subscribed", "error", "x", "disposed", "after error", "dispose",
      ]
    )
  }

  @Test func `do calls onDispose once`() {
    let log = EventRecorder<String>()
    let subscription = watched(.never(), log).subscribe(onDisposed: { log.append("disposed") })
    subscription.dispose()
    subscription.dispose()
    #expect(log.events == ["subscribe", "subscribed", "dispose", "disposed"])
  }

  @Test func `do ends with an error of its closures`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let inNext = scheduler.start { source.do(onNext: { if $0 == 2 { throw TestError.any } }) }
    #expect(inNext.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(Observable.of(1).do(onCompleted: { throw TestError.any }).recorded() == "1 x")
    #expect(Observable.of(1, 2).do(afterNext: { _ in throw TestError.any }).recorded() == "1 x")
  }

  @Test func `do calls its closures in order for a synchronous source`() {
    let log = EventRecorder<String>()
    _ = Observable.just(1).do(
      onSubscribe: { log.append("subscribe") },
      onSubscribed: { log.append("subscribed") },
      onDispose: { log.append("dispose") }
    )
    .record(in: log)
    #expect(log.events == ["subscribe", "1", "|", "subscribed", "dispose"])
  }
}
