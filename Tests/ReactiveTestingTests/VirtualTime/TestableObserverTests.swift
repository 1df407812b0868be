import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TestableObserverTests {
  private struct Failure: Error {}

  @Test func `a testable observer records every event with its time`() {
    let scheduler = TestScheduler(initialClock: 3)
    let observer = scheduler.createObserver(Int.self)
    observer.on(.next(1))
    scheduler.scheduleAt(5) { observer.onNext(2) }
    scheduler.scheduleAt(5) { observer.onError(Failure()) }
    scheduler.scheduleAt(7) { observer.onCompleted() }
    scheduler.start()
    #expect(observer.events == [.next(3, 1), .next(5, 2), .error(5, Failure()), .completed(7)])
  }

  @Test func `a testable observer can be the target of bind`() {
    let scheduler = TestScheduler(initialClock: 0)
    let observer = scheduler.createObserver(Int.self)
    let relay = BehaviorRelay(value: 1)
    let subscription = relay.bind(to: observer)
    relay.accept(2)
    subscription.dispose()
    relay.accept(3)
    #expect(observer.events == [.next(0, 1), .next(0, 2)])
  }
}
