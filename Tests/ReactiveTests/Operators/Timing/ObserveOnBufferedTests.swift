import Dispatch
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ObserveOnBufferedTests {
  let scheduler = TestScheduler(initialClock: 0)

  /// What arrives of 1 to 5, sent at 210 to a scheduler that delivers one element in a tick, and which totals were
  /// reported.
  private func burst(_ policy: BufferingPolicy) -> (events: [Recorded<Event<Int>>], totals: [Int]) {
    let source = scheduler.createHotObservable(
      (1...5).map { Recorded.next(210, $0) } + [.completed(230)])
    let totals = Log<Int>()
    let observer = scheduler.start {
      source.observe(on: scheduler, buffer: policy) { totals.append($0) }
    }
    return (observer.events, totals.entries)
  }

  @Test func `drop oldest keeps the newest elements`() {
    let (events, totals) = burst(.bounded(2, .dropOldest))
    #expect(events == [.next(211, 4), .next(212, 5), .completed(231)])
    #expect(totals == [1, 2, 3])
  }

  @Test func `drop newest keeps the oldest elements`() {
    let (events, totals) = burst(.bounded(2, .dropNewest))
    #expect(events == [.next(211, 1), .next(212, 2), .completed(231)])
    #expect(totals == [1, 2, 3])
  }

  @Test func `latest keeps the newest element alone`() {
    let (events, totals) = burst(.latest)
    #expect(events == [.next(211, 5), .completed(231)])
    #expect(totals == [1, 2, 3, 4])
  }

  @Test func `fail ends with an overflow error behind the elements that wait`() {
    let source = scheduler.createHotObservable((1...5).map { Recorded.next(210, $0) })
    let observer = scheduler.start { source.observe(on: scheduler, buffer: .bounded(2, .fail)) }
    let error = BufferOverflowError(limit: 2)
    #expect(observer.events == [.next(211, 1), .next(212, 2), .error(213, error)])
    #expect(source.subscriptions == [Subscription(200, 210)])
    #expect("\(error)" == "An element arrived while 2 waited in a full buffer.")
  }

  @Test func `a policy that has room changes nothing`() {
    for policy in [.unbounded, .bounded(5, .fail), .bounded(5, .dropOldest)] as [BufferingPolicy] {
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.createHotObservable(
        (1...5).map { Recorded.next(210, $0) } + [.error(220, TestError.any)])
      let observer = scheduler.start { source.observe(on: scheduler, buffer: policy) }
      #expect(
        observer.events == (1...5).map { .next(210 + $0, $0) } + [.error(221, TestError.any)])
    }
  }

  @Test func `a limit below one counts as one`() {
    #expect(burst(.bounded(0, .dropNewest)).events == [.next(211, 1), .completed(231)])
  }

  @Test func `an element that is being delivered does not count`() {
    let subject = PublishSubject<Int>()
    let log = Log<Int>()
    let subscription = subject.observe(on: scheduler, buffer: .bounded(2, .dropNewest))
      .subscribe(onNext: {
        log.append($0)
        if $0 == 1 { for element in 2...4 { subject.onNext(element) } }
      })
    subject.onNext(1)
    scheduler.start()
    #expect(log.entries == [1, 2, 3])
    subscription.dispose()
  }

  @Test func `disposal releases the elements that wait`() {
    let subject = PublishSubject<Token>()
    var subscription: (any Disposable)?
    let released = isReleased { token in
      subscription = subject.observe(on: scheduler, buffer: .bounded(2, .dropOldest)).subscribe()
      subject.onNext(token)
      subject.onNext(token)
      subscription?.dispose()
    }
    #expect(released)
    withExtendedLifetime((subject, subscription)) {}
  }

  @Test func `disposal by an observer stops what waits`() {
    let subject = PublishSubject<Int>()
    let own = SerialDisposable()
    let log = Log<Int>()
    own.disposable = subject.observe(on: scheduler, buffer: .bounded(3, .dropOldest))
      .subscribe(onNext: {
        log.append($0)
        own.dispose()
      })
    for element in 1...3 { subject.onNext(element) }
    scheduler.start()
    #expect(log.entries == [1])
  }

  @Test func `the report of a drop may send and dispose`() {
    let subject = PublishSubject<Int>()
    let log = Log<Int>()
    let own = SerialDisposable()
    own.disposable = subject.observe(on: scheduler, buffer: .latest) { total in
      log.append(total)
      if total < 3 { subject.onNext(10 * total) } else { own.dispose() }
    }.subscribe()
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == [1, 2, 3])
    #expect(!subject.hasObservers)
  }

  @Test func `of two threads each element is delivered or reported as dropped`() {
    let policies: [BufferingPolicy] = [
      .latest, .bounded(16, .dropOldest), .bounded(16, .dropNewest),
    ]
    for policy in policies {
      let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
      let subject = PublishSubject<Int>()
      let log = Log<Int>()
      let dropped = Atomic(0)
      let done = Latch()
      let subscription =
        subject
        .observe(on: queue, buffer: policy) { dropped.store($0, ordering: .relaxed) }
        .subscribe(onNext: { log.append($0) }, onCompleted: { done.open() })
      onAnotherThread {
        for element in 0..<20_000 { subject.onNext(element) }
        subject.onCompleted()
      }
      done.wait()
      let entries = log.entries
      #expect(entries.count + dropped.load(ordering: .relaxed) == 20_000)
      #expect(entries == entries.sorted())
      subscription.dispose()
    }
  }

  @MainActor @Test func `on the main queue what fits at once is delivered at once`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let subscription = subject.observe(on: MainScheduler(), buffer: .latest).write(to: log)
    for element in 1...3 { subject.onNext(element) }
    #expect(log.entries == ["1", "2", "3"])
    subscription.dispose()
  }
}
