import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ShareTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `share keeps one subscription from the first to the last observer`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3)])
    let shared = source.share()
    let (first, second) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    let (a, b) = (SerialDisposable(), SerialDisposable())
    scheduler.scheduleAt(200) { a.disposable = shared.subscribe(first) }
    scheduler.scheduleAt(215) { b.disposable = shared.subscribe(second) }
    scheduler.scheduleAt(225) { a.dispose() }
    scheduler.scheduleAt(240) { b.dispose() }
    scheduler.scheduleAt(250) { a.dispose() }
    scheduler.start()
    #expect(first.events == [.next(210, 1), .next(220, 2)])
    #expect(second.events == [.next(220, 2), .next(230, 3)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test(arguments: [true, false])
  func `share(replay:) replays stored elements to a new observer`(isForever: Bool) {
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: 2, scope: isForever ? .forever : .whileConnected)
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    shared.record(in: log, "a").disposed(by: bag)
    for element in 1...3 { subject.onNext(element) }
    shared.record(in: log, "b").disposed(by: bag)
    #expect(log.events == ["a1", "a2", "a3", "b2", "b3"])
  }

  @Test func `share(scope: .whileConnected) discards stored elements with the connection`() {
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: 1)
    let first = shared.subscribe()
    subject.onNext(1)
    first.dispose()
    #expect(!subject.hasObservers)
    let log = EventRecorder<String>()
    let second = shared.record(in: log)
    #expect(log.events.isEmpty)
    subject.onNext(2)
    #expect(log.events == ["2"])
    second.dispose()
  }

  @Test func `share(scope: .forever) keeps stored elements after the connection`() {
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: 1, scope: .forever)
    let first = shared.subscribe()
    subject.onNext(1)
    first.dispose()
    #expect(!subject.hasObservers)
    let log = EventRecorder<String>()
    let second = shared.record(in: log)
    #expect(log.events == ["1"])
    #expect(subject.hasObservers)
    second.dispose()
  }

  @Test func `share(scope: .whileConnected) subscribes again after an end`() {
    let subscriptions = Atomic(0)
    let source = Observable<Int>.deferred {
      .of(subscriptions.add(1, ordering: .relaxed).newValue)
    }
    let shared = source.share(replay: 1)
    #expect(shared.recorded() == "1 |")
    #expect(shared.recorded() == "2 |")
  }

  @Test func `share(scope: .forever) replays its end without a new subscription`() {
    let subscriptions = Atomic(0)
    let source = Observable<Int>.deferred {
      .of(subscriptions.add(1, ordering: .relaxed).newValue)
    }
    let shared = source.share(replay: 1, scope: .forever)
    #expect(shared.recorded() == "1 |")
    #expect(shared.recorded() == "1 |")
    #expect(subscriptions.load(ordering: .relaxed) == 1)
  }

  @Test func `an observer can subscribe to share again during its end`() {
    let subjects = [PublishSubject<Int>(), PublishSubject<Int>()]
    let next = Atomic(0)
    let shared = Observable<Int>
      .deferred { subjects[next.add(1, ordering: .relaxed).oldValue] }
      .share(replay: 1)
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    shared.subscribe(
      onNext: { log.append("a\($0)") },
      onError: { _ in
        log.append("ax")
        shared.record(in: log, "again").disposed(by: bag)
      }
    )
    .disposed(by: bag)
    subjects[0].onNext(1)
    subjects[0].onError(TestError.any)
    subjects[1].onNext(2)
    #expect(log.events == ["a1", "ax", "again2"])
  }

  @Test func `retry on a shared source starts a new connection`() {
    let attempts = Atomic(0)
    let shared = Observable<Int>
      .deferred {
        let attempt = attempts.add(1, ordering: .relaxed).newValue
        return attempt < 3 ? .error(TestError.any) : .just(attempt)
      }
      .share()
    #expect(shared.retry().recorded() == "3 |")
  }

  @Test func `the first observer of share receives the elements of a synchronous source`() {
    #expect(Observable.of(1, 2, 3).share().recorded() == "1 2 3 |")
    #expect(Observable.of(1, 2, 3).share(replay: 1).take(2).recorded() == "1 2 |")
  }

  @Test func `concurrent first observers of share make one connection`() {
    for _ in 0..<300 {
      let subject = PublishSubject<Int>()
      let connections = Atomic(0)
      let shared = subject.do(onSubscribe: { connections.add(1, ordering: .relaxed) }).share(
        replay: 1
      )
      let log = EventRecorder<Int>()
      let bag = DisposeBag()
      onThreads(4) { _ in shared.subscribe(onNext: { log.append($0) }).disposed(by: bag) }
      subject.onNext(1)
      #expect(log.events == [1, 1, 1, 1])
      #expect(connections.load(ordering: .relaxed) == 1)
      #expect(bag.count == 4)
    }
  }

  @Test(arguments: [true, false])
  func `share has no connection after four threads subscribe and dispose`(isForever: Bool) {
    let connected = Atomic(0)
    let source = Observable<Int>.create { observer in
      connected.add(1, ordering: .relaxed)
      observer.onNext(1)
      return Disposables.create { connected.subtract(1, ordering: .relaxed) }
    }
    let shared = source.share(replay: 1, scope: isForever ? .forever : .whileConnected)
    let received = Atomic(0)
    onThreads(4) { _ in
      for _ in 0..<2_000 {
        shared.subscribe(onNext: { _ in received.add(1, ordering: .relaxed) }).dispose()
      }
    }
    #expect(connected.load(ordering: .relaxed) == 0)
    #expect(received.load(ordering: .relaxed) >= 1)
  }

  @Test func `share with take and zip does not deadlock`() {
    for _ in 0..<100 {
      let subject = PublishSubject<Int>()
      let shared = subject.share(replay: 1)
      let count = Atomic(0)
      onThreads(3) { index in
        if index == 0 {
          for element in 0..<300 { subject.onNext(element) }
        } else {
          for _ in 0..<100 {
            _ = Observable.zip(shared.take(1), shared.take(1)) { $0 + $1 }
              .subscribe(onNext: { _ in count.add(1, ordering: .relaxed) })
          }
        }
      }
      subject.onNext(1000)
      subject.onNext(1001)
      #expect(count.load(ordering: .relaxed) == 200)
      #expect(!subject.hasObservers)
    }
  }

  @Test func `share releases its source and captured objects`() {
    let subject = PublishSubject<Int>()
    #expect(
      isReleased { token in
        let shared = subject.do(onNext: { _ in token.hold() }).share(replay: 1, scope: .forever)
        let subscription = shared.subscribe()
        subject.onNext(1)
        subscription.dispose()
      }
    )
  }

  @Test
  func
    `share(scope: .forever) ignores an end that arrives after its last observer was disposed of`()
  {
    let subject = PublishSubject<Int>()
    let subscription = SerialDisposable()
    let shared = subject.map { element in
      if element == 2 {
        subscription.dispose()
        throw TestError.any
      }
      return element
    }
    .share(replay: 1, scope: .forever)
    subscription.disposable = shared.subscribe()
    subject.onNext(1)
    subject.onNext(2)
    let log = EventRecorder<String>()
    shared.record(in: log).dispose()
    #expect(log.events == ["1"])
  }

  @Test
  func
    `an observer that subscribes in the kept end of share(scope: .forever) does not connect again`()
  {
    let subscriptions = Atomic(0)
    let shared = Observable<Int>.deferred {
      subscriptions.add(1, ordering: .relaxed)
      return .empty()
    }
    .share(scope: .forever)
    #expect(shared.recorded() == "|")
    #expect(shared.ifEmpty(switchTo: shared).recorded() == "|")
    #expect(subscriptions.load(ordering: .relaxed) == 1)
  }

  @Test func `share does not connect for an observer that the replay ends`() {
    let count = EventRecorder<Int>()
    let shared = Observable<Int>.create { observer in
      count.append(1)
      observer.onNext(7)
      return Disposables.create()
    }
    .share(replay: 1, scope: .forever)
    _ = shared.take(1).subscribe()
    _ = shared.take(1).subscribe()
    #expect(count.events.count == 1)
  }

  @Test func `share stores elements of a synchronous source after its observer has ended`() {
    let subscriptions = Atomic(0)
    func shared(_ ends: Bool) -> Observable<Int> {
      Observable<Int>.create { observer in
        subscriptions.add(1, ordering: .relaxed)
        for element in 1...4 { observer.onNext(element) }
        if ends { observer.onCompleted() }
        return Disposables.create()
      }
      .share(replay: 1, scope: .forever)
    }
    let ending = shared(true)
    #expect(ending.take(2).concat(ending).recorded() == "1 2 4 |")
    #expect(subscriptions.exchange(0, ordering: .relaxed) == 1)
    let open = shared(false)
    #expect(open.take(2).concat(open).recorded() == "1 2 4 1 2 3 4")
    #expect(subscriptions.load(ordering: .relaxed) == 2)
    let taking = Observable.of(1, 2, 3).share(replay: 1, scope: .forever)
    #expect(taking.take(2).concat(taking).recorded() == "1 2 2 1 2 3 |")
  }

  @Test(arguments: [SubjectLifetimeScope.whileConnected, .forever])
  func `an observer that subscribes while share connects joins that connection`(
    scope: SubjectLifetimeScope
  ) {
    let opened = Atomic(0)
    let (now, most, log) = (Locked(0), Locked(0), EventRecorder<String>())
    let source = Observable<Int>.create { observer in
      opened.add(1, ordering: .relaxed)
      let count = now.withLock {
        $0 += 1
        return $0
      }
      most.withLock { $0 = max($0, count) }
      observer.onNext(1)
      observer.onNext(2)
      return Disposables.create { now.withLock { $0 -= 1 } }
    }
    for shared in [
      source.share(replay: 1, scope: scope), source.replay(1).refCount(),
    ] {
      let bag = DisposeBag()
      shared.take(1).subscribe(onCompleted: { shared.record(in: log).disposed(by: bag) })
        .disposed(by: bag)
      log.append("subscribed")
    }
    #expect(log.events == ["1", "2", "subscribed", "1", "2", "subscribed"])
    #expect(opened.load(ordering: .relaxed) == 2)
    #expect(now.withLock { $0 } == 0)
    #expect(most.withLock { $0 } == 1)
  }

  @Test func `share subscribes again after the subscribe call of a source that fails in it`() {
    let log = EventRecorder<String>()
    let source = Observable<Int>.create { observer in
      log.append("open")
      observer.onError(TestError.any)
      log.append("opened")
      return Disposables.create { log.append("close") }
    }
    let (shared, bag) = (source.share(), DisposeBag())
    let attempts = Atomic(0)
    @Sendable func attempt() {
      shared.subscribe(onError: { _ in
        if attempts.add(1, ordering: .relaxed).newValue < 2 { attempt() }
      })
      .disposed(by: bag)
    }
    attempt()
    #expect(log.events == ["open", "opened", "close", "open", "opened", "close"])
  }
}
