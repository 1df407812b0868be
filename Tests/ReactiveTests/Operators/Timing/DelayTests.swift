import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct DelayTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test(arguments: [50, 100, 150])
  func `delay emits elements and completion after its duration`(ticks: Int) {
    let source = scheduler.createHotObservable([
      .next(150, 1), .next(250, 2), .next(350, 3), .next(450, 4), .completed(550),
    ])
    let observer = scheduler.start { source.delay(.seconds(ticks), scheduler: scheduler) }
    #expect(
      observer.events == [
        .next(250 + ticks, 2), .next(350 + ticks, 3), .next(450 + ticks, 4),
        .completed(550 + ticks),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 550)])
  }

  @Test func `delay emits an error at once and drops pending elements`() {
    let source = scheduler.createHotObservable([
      .next(250, 2), .next(350, 3), .next(450, 4), .error(550, TestError.any),
    ])
    let observer = scheduler.start { source.delay(.seconds(150), scheduler: scheduler) }
    #expect(observer.events == [.next(400, 2), .next(500, 3), .error(550, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 550)])
  }

  @Test func `delay keeps the order of elements of one tick`() {
    let source = scheduler.createHotObservable([.next(250, 1), .next(250, 2), .next(250, 3)])
    let observer = scheduler.start { source.delay(.seconds(10), scheduler: scheduler) }
    #expect(observer.events.compactMap(\.value.element) == [1, 2, 3])
    #expect(observer.events.first == .next(260, 1))
  }

  @Test func `disposal of delay drops pending elements`() {
    let source = scheduler.createHotObservable([.next(250, 1)])
    let observer = scheduler.start(disposed: 255) {
      source.delay(.seconds(10), scheduler: scheduler)
    }
    #expect(observer.events.isEmpty)
  }

  @Test func `delay emits an element that its observer sends after the full duration`() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let bag = DisposeBag()
    subject.delay(.seconds(10), scheduler: scheduler)
      .do(onNext: { if $0 == 1 { subject.onNext(2) } })
      .subscribe(observer)
      .disposed(by: bag)
    subject.onNext(1)
    scheduler.start()
    #expect(observer.events == [.next(10, 1), .next(20, 2)])
  }

  @Test func `delay on a dispatch queue delivers all due elements in one turn`() {
    let queue = DispatchQueue(label: "delayed")
    let (log, isDone) = (EventRecorder<Int>(), DispatchSemaphore(value: 0))
    let clock = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "delay")
    let source = PublishSubject<Int>()
    let subscription = source.delay(.nanoseconds(0), scheduler: clock)
      .subscribe(onNext: { element in
        log.append(element)
        if element == 1 {
          // An element that arrives during a turn is delivered in a later turn, after queued work.
          source.onNext(4)
          _ = clock.schedule(()) {
            log.append(0)
            return Disposables.create()
          }
        }
        if element == 4 { isDone.signal() }
      })
    queue.suspend()
    for element in 1...3 { source.onNext(element) }
    queue.resume()
    isDone.wait()
    #expect(log.events.filter { $0 > 0 } == [1, 2, 3, 4])
    #expect(Array(log.events.prefix(3)) == [1, 2, 3])
    subscription.dispose()
  }

  @Test func `delay waits no longer than its duration when the clock is set back`() {
    let (source, scheduler, log) = (
      PublishSubject<Int>(), ManualScheduler(), EventRecorder<String>()
    )
    let subscription = source.delay(.seconds(2), scheduler: scheduler).record(in: log)
    source.onNext(1)
    scheduler.moveClock(by: 1)
    source.onNext(2)
    scheduler.moveClock(by: -3_600)
    scheduler.fire(0)
    #expect(scheduler.dueTimes.map(\.nanoseconds) == [2_000_000_000, 2_000_000_000])
    scheduler.fire(1)
    #expect(log.events == ["1", "2"])
    subscription.dispose()
  }

  @Test func `delaySubscription subscribes after its duration`() {
    let source = scheduler.createColdObservable([.next(50, 1), .completed(60)])
    let observer = scheduler.start { source.delaySubscription(.seconds(30), scheduler: scheduler) }
    #expect(observer.events == [.next(280, 1), .completed(290)])
    #expect(source.subscriptions == [Subscription(230, 290)])
    #expect(play("ab-c-x") { $0.delaySubscription(.seconds(2), scheduler: $1) } == "---c-x")
  }

  @Test func `disposal of delaySubscription before its duration prevents the subscription`() {
    let source = scheduler.createColdObservable([.next(50, 1)])
    let observer = scheduler.start(disposed: 220) {
      source.delaySubscription(.seconds(30), scheduler: scheduler)
    }
    #expect(observer.events.isEmpty)
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `an element is delayed by the whole time when the clock is set back`() {
    let scheduler = ManualScheduler()
    let subject = PublishSubject<Int>()
    let log = EventRecorder<Int>()
    let subscription = subject.delay(.seconds(10), scheduler: scheduler)
      .subscribe(onNext: { log.append($0) })
    subject.onNext(1)
    scheduler.moveClock(by: 4)
    subject.onNext(2)
    scheduler.moveClock(by: -100)
    scheduler.fire(0)
    scheduler.fire(1)
    #expect(log.events == [1, 2])
    #expect(scheduler.dueTimes.map(\.nanoseconds) == [10_000_000_000, 10_000_000_000])
    subscription.dispose()
  }
}
