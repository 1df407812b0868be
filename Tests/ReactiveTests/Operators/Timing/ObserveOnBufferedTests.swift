import Dispatch
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ObserveOnBufferedTests {
  let scheduler = TestScheduler(initialClock: 0)

  /// The events of a source that sends 1 to 5 at 210 to a scheduler that delivers one element in a
  /// tick, and the reported totals.
  private func burst(_ policy: BufferingPolicy) -> (events: [Recorded<Event<Int>>], totals: [Int]) {
    let source = scheduler.createHotObservable(
      (1...5).map { Recorded.next(210, $0) } + [.completed(230)])
    let totals = EventRecorder<Int>()
    let observer = scheduler.start {
      source.observe(on: scheduler, buffer: policy) { totals.append($0) }
    }
    return (observer.events, totals.events)
  }

  @Test func `observe(on:buffer:) with dropOldest keeps the newest elements`() {
    let (events, totals) = burst(.bounded(2, .dropOldest))
    #expect(events == [.next(211, 4), .next(212, 5), .completed(231)])
    #expect(totals == [1, 2, 3])
  }

  @Test func `observe(on:buffer:) with dropNewest keeps the oldest elements`() {
    let (events, totals) = burst(.bounded(2, .dropNewest))
    #expect(events == [.next(211, 1), .next(212, 2), .completed(231)])
    #expect(totals == [1, 2, 3])
  }

  @Test func `observe(on:buffer:) with latest keeps only the newest element`() {
    let (events, totals) = burst(.latest)
    #expect(events == [.next(211, 5), .completed(231)])
    #expect(totals == [1, 2, 3, 4])
  }

  @Test func `observe(on:buffer:) with fail emits the buffered elements and an overflow error`() {
    let source = scheduler.createHotObservable((1...5).map { Recorded.next(210, $0) })
    let observer = scheduler.start { source.observe(on: scheduler, buffer: .bounded(2, .fail)) }
    let error = BufferOverflowError(limit: 2)
    #expect(observer.events == [.next(211, 1), .next(212, 2), .error(213, error)])
    #expect(source.subscriptions == [Subscription(200, 210)])
    #expect("\(error)" == "An element arrived while 2 waited in a full buffer.")
  }

  @Test func `observe(on:buffer:) drops nothing while the buffer has room`() {
    for policy in [.unbounded, .bounded(5, .fail), .bounded(5, .dropOldest)] as [BufferingPolicy] {
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.createHotObservable(
        (1...5).map { Recorded.next(210, $0) } + [.error(220, TestError.any)])
      let observer = scheduler.start { source.observe(on: scheduler, buffer: policy) }
      #expect(
        observer.events == (1...5).map { .next(210 + $0, $0) } + [.error(221, TestError.any)])
    }
  }

  @Test func `observe(on:buffer:) treats a limit below one as one`() {
    #expect(burst(.bounded(0, .dropNewest)).events == [.next(211, 1), .completed(231)])
  }

  @Test func `observe(on:buffer:) does not count the element that is being delivered`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<Int>()
    let subscription = subject.observe(on: scheduler, buffer: .bounded(2, .dropNewest))
      .subscribe(onNext: {
        log.append($0)
        if $0 == 1 { for element in 2...4 { subject.onNext(element) } }
      })
    subject.onNext(1)
    scheduler.start()
    #expect(log.events == [1, 2, 3])
    subscription.dispose()
  }

  @Test func `disposal of observe(on:buffer:) releases buffered elements`() {
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

  @Test func `disposal in onNext stops the delivery of buffered elements`() {
    let subject = PublishSubject<Int>()
    let own = SerialDisposable()
    let log = EventRecorder<Int>()
    own.disposable = subject.observe(on: scheduler, buffer: .bounded(3, .dropOldest))
      .subscribe(onNext: {
        log.append($0)
        own.dispose()
      })
    for element in 1...3 { subject.onNext(element) }
    scheduler.start()
    #expect(log.events == [1])
  }

  @Test func `onDropped of observe(on:buffer:) can send and dispose`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<Int>()
    let own = SerialDisposable()
    own.disposable = subject.observe(on: scheduler, buffer: .latest) { total in
      log.append(total)
      if total < 3 { subject.onNext(10 * total) } else { own.dispose() }
    }.subscribe()
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.events == [1, 2, 3])
    #expect(!subject.hasObservers)
  }

  @Test func `observe(on:buffer:) delivers or reports each element between two threads`() {
    let policies: [BufferingPolicy] = [
      .latest, .bounded(16, .dropOldest), .bounded(16, .dropNewest),
    ]
    for policy in policies {
      let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
      let subject = PublishSubject<Int>()
      let log = EventRecorder<Int>()
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
      let entries = log.events
      #expect(entries.count + dropped.load(ordering: .relaxed) == 20_000)
      #expect(entries == entries.sorted())
      subscription.dispose()
    }
  }

  @MainActor @Test
  func `observe(on:buffer:) on the main scheduler delivers at once on the main thread`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let subscription = subject.observe(on: MainScheduler(), buffer: .latest).record(in: log)
    for element in 1...3 { subject.onNext(element) }
    #expect(log.events == ["1", "2", "3"])
    subscription.dispose()
  }
}
