import Dispatch
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ObserveOnTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `observe(on:) schedules each event separately in virtual time`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(220, 2), .next(220, 3), .completed(230),
    ])
    let observer = scheduler.start { source.observe(on: scheduler) }
    #expect(observer.events == [.next(211, 1), .next(221, 2), .next(222, 3), .completed(231)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test func `observe(on:) delivers an error after the scheduled elements`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(210, 2), .error(210, TestError.any),
    ])
    let observer = scheduler.start { source.observe(on: scheduler) }
    #expect(observer.events == [.next(211, 1), .next(212, 2), .error(213, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test func `disposal in onNext stops scheduled elements of observe(on:)`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(210, 2)])
    let own = SerialDisposable()
    let log = EventRecorder<Int>()
    scheduler.scheduleAt(200) {
      own.disposable = source.observe(on: scheduler).subscribe(onNext: {
        log.append($0)
        own.dispose()
      })
    }
    scheduler.start()
    #expect(log.events == [1])
  }

  @Test func `observe(on:) delivers in order on serial and concurrent queues`() {
    for queue in [true, false] {
      let target: any ImmediateSchedulerType =
        queue
        ? SerialDispatchQueueScheduler(internalSerialQueueName: "test")
        : ConcurrentDispatchQueueScheduler(qos: .default)
      let subject = PublishSubject<Int>()
      let log = EventRecorder<Int>()
      let done = Latch()
      let subscription = subject.observe(on: target)
        .subscribe(onNext: { log.append($0) }, onCompleted: { done.open() })
      onAnotherThread {
        for element in 0..<20_000 { subject.onNext(element) }
        subject.onCompleted()
      }
      done.wait()
      #expect(log.events == Array(0..<20_000))
      subscription.dispose()
    }
  }

  @Test func `subscribe(on:) subscribes and disposes on its scheduler`() {
    let source = scheduler.createHotObservable([.next(210, 1), .completed(240)])
    let observer = scheduler.start { source.subscribe(on: scheduler) }
    #expect(observer.events == [.next(210, 1), .completed(240)])
    #expect(source.subscriptions == [Subscription(201, 241)])
  }

  @Test func `subscribe(on:) does not subscribe after an early disposal`() {
    let source = scheduler.createHotObservable([.next(210, 1)])
    let subscription = source.subscribe(on: scheduler).subscribe()
    subscription.dispose()
    scheduler.start()
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `subscribe(on:) ends an endless source`() {
    let endless = Observable.repeatElement(1)
    let observer = scheduler.start { endless.take(2).subscribe(on: scheduler) }
    #expect(observer.events == [.next(201, 1), .next(201, 1), .completed(201)])
  }

  @Test func `subscribe(on:) disposes at once of a source that ends synchronously`() {
    let log = EventRecorder<Int>()
    let source = Observable<Int>.create { observer in
      observer.onCompleted()
      return Disposables.create { log.append(scheduler.clock) }
    }
    _ = scheduler.start { source.subscribe(on: scheduler) }
    #expect(log.events == [201])
  }

  @Test func `subscribe(on:) emits nothing while its disposal is scheduled`() {
    let log = EventRecorder<String>()
    let subscription = Observable.of(1, 2, 3).subscribe(on: scheduler)
      .map { element -> Int in
        if element == 1 { throw TestError.any }
        return element
      }
      .catch { _ in .never() }
      .record(in: log)
    scheduler.start()
    #expect(log.events.isEmpty)
    subscription.dispose()
  }

  @Test func `merged sources of subscribe(on:) alternate`() {
    let log = EventRecorder<String>()
    let subscription = Observable<Int>.merge(.of(1, 2), .of(3, 4)).subscribe(on: scheduler).record(
      in: log)
    scheduler.start()
    #expect(log.events == ["1", "3", "2", "4", "|"])
    subscription.dispose()
  }

  @MainActor
  @Test func `a burst on the concurrent main scheduler needs no deep stack`() async {
    let subject = PublishSubject<Int>()
    let depths = EventRecorder<UInt>()
    let ended = Latch()
    let subscription = subject.observe(on: ConcurrentMainScheduler.instance)
      .subscribe(
        onNext: { element in
          var local = element
          depths.append(withUnsafePointer(to: &local) { UInt(bitPattern: $0) })
        }, onCompleted: { ended.open() })
    onAnotherThread {
      for element in 0..<100 { subject.onNext(element) }
      subject.onCompleted()
    }
    await ended.opened()
    let (highest, lowest) = (depths.events.max() ?? 0, depths.events.min() ?? 0)
    #expect(depths.count == 100)
    #expect(highest - lowest < 10_000)
    subscription.dispose()
  }
}
