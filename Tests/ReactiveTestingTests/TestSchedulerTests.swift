import Reactive
import ReactiveTesting
import Testing

@Suite struct TestSchedulerTests {
  @Test func `creates at 100 and subscribes at 200 and disposes at 1000`() {
    let scheduler = TestScheduler(initialClock: 0)
    let times = Locked<[TestTime]>([])
    _ = scheduler.start { () -> Observable<Int> in
      times.withLock { $0.append(scheduler.clock) }
      return .create { _ in
        times.withLock { $0.append(scheduler.clock) }
        return Disposables.create { times.withLock { $0.append(scheduler.clock) } }
      }
    }
    #expect(times.withLock { $0 } == [100, 200, 1000])
  }

  @Test func `start takes other times`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(5, 1), .next(15, 2), .next(30, 3)])
    let observer = scheduler.start(created: 1, subscribed: 10, disposed: 20) { source }
    #expect(observer.events == [.next(15, 2)])
    #expect(source.subscriptions == [Subscription(10, 20)])
  }

  @Test func `what is due now runs a tick later when processing delay is simulated`() {
    let scheduler = TestScheduler(initialClock: 0)
    let times = Locked<[TestTime]>([])
    for time in [RxTimeInterval.seconds(0), .seconds(-5), .seconds(7)] {
      _ = scheduler.scheduleRelative((), dueTime: time) {
        times.withLock { $0.append(scheduler.clock) }
        return Disposables.create()
      }
    }
    scheduler.start()
    #expect(times.withLock { $0 } == [1, 1, 7])
  }

  @Test func `what is due now runs now when processing delay is not simulated`() {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    let observer = scheduler.createObserver(Int.self)
    _ = scheduler.schedule(1) {
      observer.onNext($0)
      return Disposables.create()
    }
    scheduler.start()
    #expect(observer.events == [.next(0, 1)])
  }

  @Test func `resolution says how long a tick is`() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.01)
    let observer = scheduler.start {
      Observable<Int>.timer(.milliseconds(500), scheduler: scheduler)
    }
    #expect(observer.events == [.next(250, 0), .completed(250)])
  }

  @Test func `a hot observable emits whoever observes and a cold one to each by itself`() {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = scheduler.createHotObservable([.next(150, 1), .next(250, 2), .completed(300)])
    let cold = scheduler.createColdObservable([.next(10, 3), .completed(20)])
    let first = scheduler.createObserver(Int.self)
    let second = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(100) { _ = hot.subscribe(first) }
    scheduler.scheduleAt(200) { _ = hot.subscribe(second) }
    scheduler.scheduleAt(400) { _ = cold.subscribe(first) }
    scheduler.scheduleAt(405) { _ = cold.subscribe(second) }
    scheduler.start()
    #expect(
      first.events == [
        .next(150, 1), .next(250, 2), .completed(300), .next(410, 3), .completed(420),
      ]
    )
    #expect(second.events == [.next(250, 2), .completed(300), .next(415, 3), .completed(425)])
    #expect(hot.subscriptions == [Subscription(100, 300), Subscription(200, 300)])
    #expect(cold.subscriptions == [Subscription(400, 420), Subscription(405, 425)])
    #expect(hot.recordedEvents.count == 3)
  }

  @Test func `a subscription that was not disposed of is without end`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([Recorded<Event<Int>>]())
    scheduler.scheduleAt(50) { _ = source.subscribe() }
    scheduler.start()
    #expect(source.subscriptions == [Subscription(50)])
    #expect("\(source.subscriptions)" == "[(50 : Infinity)]")
  }

  @Test func `a cold observable is silent after disposal`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([.next(100, 1), .next(300, 2)])
    let observer = scheduler.start(disposed: 400) { source }
    #expect(observer.events == [.next(300, 1)])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test func `records describe and compare themselves`() {
    let record: Recorded<Event<Int>> = .next(210, 1)
    #expect(record == .next(210, 1))
    #expect(record != .next(211, 1))
    #expect(record != .completed(210))
    #expect(record.debugDescription == "next(1) @ 210")
    #expect(Recorded.events(.next(1, 1), .completed(2)) == [.next(1, 1), .completed(2)])
  }

  @Test func `time that never comes does not trap`() {
    let scheduler = TestScheduler(initialClock: 0)
    let timer = Observable<Int>.timer(.never, scheduler: scheduler).subscribe()
    scheduler.advanceTo(1_000_000)
    timer.dispose()
    #expect(scheduler.clock == 1_000_000)
  }
}
