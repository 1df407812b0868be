import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TestSchedulerTests {
  @Test func `a test scheduler creates at 100, subscribes at 200 and disposes at 1000`() {
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

  @Test func `TestScheduler.start accepts custom times`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(5, 1), .next(15, 2), .next(30, 3)])
    let observer = scheduler.start(created: 1, subscribed: 10, disposed: 20) { source }
    #expect(observer.events == [.next(15, 2)])
    #expect(source.subscriptions == [Subscription(10, 20)])
  }

  @Test func `a test scheduler with processing delay runs due work a tick later`() {
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

  @Test func `a test scheduler without processing delay runs due work at once`() {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    let observer = scheduler.createObserver(Int.self)
    _ = scheduler.schedule(1) {
      observer.onNext($0)
      return Disposables.create()
    }
    scheduler.start()
    #expect(observer.events == [.next(0, 1)])
  }

  @Test func `the resolution of a test scheduler is the length of a tick`() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.01)
    let observer = scheduler.start {
      Observable<Int>.timer(.milliseconds(500), scheduler: scheduler)
    }
    #expect(observer.events == [.next(250, 0), .completed(250)])
  }

  @Test func `a test scheduler with an infinite due time does not trap`() {
    let scheduler = TestScheduler(initialClock: 0)
    let timer = Observable<Int>.timer(.never, scheduler: scheduler).subscribe()
    scheduler.advanceTo(1_000_000)
    timer.dispose()
    #expect(scheduler.clock == 1_000_000)
  }

  @Test func `TestScheduler.start(disposed:) creates at 100 and subscribes at 200`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(199, 1), .next(201, 2), .next(300, 3)])
    let created = Locked<TestTime?>(nil)
    let observer = scheduler.start(disposed: 300) {
      created.withLock { $0 = scheduler.clock }
      return source
    }
    #expect(created.withLock { $0 } == TestScheduler.Defaults.created)
    #expect(observer.events == [.next(201, 2), .next(300, 3)])
    #expect(source.subscriptions == [Subscription(TestScheduler.Defaults.subscribed, 300)])
  }

  @Test func `TestScheduler.start disposes at 1000`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(999, 1), .next(1000, 2), .next(1001, 3)])
    #expect(scheduler.start { source }.events == [.next(999, 1), .next(1000, 2)])
    #expect(source.subscriptions == [Subscription(200, TestScheduler.Defaults.disposed)])
    #expect(scheduler.clock == 1001)
  }

  @Test func `TestScheduler.start accepts a function`() {
    let scheduler = TestScheduler(initialClock: 0)
    let make = { Observable.just(1) }
    #expect(scheduler.start(make).events == [.next(200, 1), .completed(200)])
  }

  @Test func `TestScheduler.start without a closure runs the scheduled work`() {
    let scheduler = TestScheduler(initialClock: 5)
    let observer = scheduler.createObserver(String.self)
    scheduler.scheduleAt(20) { observer.onNext("late") }
    scheduler.scheduleAt(10) { observer.onNext("early") }
    scheduler.scheduleAt(1) { observer.onNext("past") }
    #expect(observer.events.isEmpty)
    scheduler.start()
    #expect(observer.events == [.next(5, "past"), .next(10, "early"), .next(20, "late")])
  }

  @Test func `TestScheduler.start accepts traits and releases the created sequence`() {
    let scheduler = TestScheduler(initialClock: 0)
    weak var seen: Observable<Int>?
    let observer = scheduler.start { () -> Single<Int> in
      let source = Observable.just(1).map { $0 + 1 }
      seen = source
      return source.asSingle()
    }
    #expect(observer.events == [.next(200, 2), .completed(200)])
    #expect(seen == nil)
  }

  @Test func `a test scheduler adjusts past times to the clock or a tick later`() {
    for (delays, expected) in [(true, [43, 43, 43, 44]), (false, [42, 42, 43, 44])] {
      let scheduler = TestScheduler(initialClock: 42, simulateProcessingDelay: delays)
      #expect([7, 42, 43, 44].map(scheduler.adjustScheduledTime) == expected)
    }
  }

  @Test func `a test scheduler without processing delay runs past work in order`() {
    let scheduler = TestScheduler(initialClock: 10, simulateProcessingDelay: false)
    let observer = scheduler.createObserver(Int.self)
    for (number, dueTime) in [0, -5].enumerated() {
      _ = scheduler.scheduleRelative(number, dueTime: .seconds(dueTime)) {
        observer.onNext($0)
        return Disposables.create()
      }
    }
    scheduler.start()
    #expect(observer.events == [.next(10, 0), .next(10, 1)])
  }
}
