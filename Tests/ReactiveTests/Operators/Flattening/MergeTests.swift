import Dispatch
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct MergeTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `merge alternates between synchronous sources`() {
    #expect(Observable<Int>.merge(.of(1, 2, 3), .of(4, 5, 6)).recorded() == "1 4 2 5 3 6 |")
    #expect(
      Observable<Int>.merge(.range(start: 1, count: 2), .of(7, 8, 9)).recorded() == "1 7 2 8 9 |"
    )
    #expect(Observable<Int>.merge(.just(1), .of(4, 5), .just(2)).recorded() == "1 2 4 5 |")
  }

  @Test func `merge inside flatMap alternates between synchronous sources`() {
    let source = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let subscription = source.flatMap { _ in Observable<Int>.merge(.of(1, 2, 3), .of(4, 5, 6)) }
      .record(in: log)
    source.onNext(0)
    #expect(log.events == ["1", "4", "2", "5", "3", "6"])
    subscription.dispose()
  }

  @Test func `a synchronous source subscribed in onNext waits for its trampoline turn`() {
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    Observable.of(1, 2).subscribe(onNext: { outer in
      log.append("\(outer)")
      Observable.of(10 * outer, 10 * outer + 1).subscribe(onNext: { log.append("\($0)") }).disposed(
        by: bag
      )
      log.append("after \(outer)")
    })
    .disposed(by: bag)
    #expect(log.events == ["1", "after 1", "10", "2", "after 2", "11", "20", "21"])
  }

  @Test func `merge completes with the last source and disposes of each at its end`() {
    let a = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .completed(245)])
    let b = scheduler.createHotObservable([.next(220, 3), .completed(300)])
    let observer = scheduler.start { Observable<Int>.merge(a.asObservable(), b.asObservable()) }
    #expect(observer.events == [.next(210, 1), .next(220, 3), .next(240, 2), .completed(300)])
    #expect(a.subscriptions == [Subscription(200, 245)])
    #expect(b.subscriptions == [Subscription(200, 300)])
  }

  @Test func `merge ends with the first error and disposes of the other sources`() {
    let a = scheduler.createHotObservable([.next(210, 1), .error(245, TestError.any)])
    let b = scheduler.createHotObservable([.next(220, 3), .next(250, 4), .completed(300)])
    let observer = scheduler.start { Observable<Int>.merge(a.asObservable(), b.asObservable()) }
    #expect(observer.events == [.next(210, 1), .next(220, 3), .error(245, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 245)])
    #expect(b.subscriptions == [Subscription(200, 245)])
  }

  @Test func `merge of an empty array completes`() {
    #expect(Observable<Int>.merge([Observable<Int>]()).recorded() == "|")
  }

  @Test func `merge with delayErrors emits the first error after all sources have ended`() {
    let failing = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let second = scheduler.createHotObservable([.next(230, 2), .error(240, TestError.other)])
    let last = scheduler.createHotObservable([.next(250, 3), .completed(260)])
    let sources = [failing, second, last].map { $0.asObservable() }
    let observers = [
      Observable.merge(sources, delayErrors: true),
      Observable.from(sources).merge(delayErrors: true),
    ]
    .map { merged in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(200) { _ = merged.subscribe(observer) }
      return observer
    }
    scheduler.start()
    for observer in observers {
      #expect(
        observer.events == [
          .next(210, 1), .next(230, 2), .next(250, 3), .error(260, TestError.any),
        ])
    }
  }

  @Test func `flatMap completes after the source and all inner observables`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let inner = scheduler.createColdObservable([.next(5, 10), .next(30, 11), .completed(40)])
    let observer = scheduler.start { source.flatMap { _ in inner } }
    #expect(
      observer.events == [
        .next(215, 10), .next(225, 10), .next(240, 11), .next(250, 11), .completed(260),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(inner.subscriptions == [Subscription(210, 250), Subscription(220, 260)])
  }

  @Test func `flatMap ends with an inner error and disposes of source and inner observables`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(500)])
    let inner = scheduler.createColdObservable([.next(5, 10), .error(30, TestError.any)])
    let observer = scheduler.start { source.flatMap { _ in inner } }
    #expect(observer.events == [.next(215, 10), .next(225, 10), .error(240, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 240)])
    #expect(inner.subscriptions == [Subscription(210, 240), Subscription(220, 240)])
  }

  @Test func `flatMap ends with a selector's error and disposes of the source`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(500)])
    let observer = scheduler.start {
      source.flatMap { element -> Observable<Int> in
        if element == 2 { throw TestError.any }
        return .just(element)
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test
  func `operators on just inside flatMap run for each element, also when they send to the source`()
  {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let subscription =
      source
      .flatMap { element in
        Observable.just(element).map { $0 * 10 }.filter { $0 != 20 }.compactMap { number in
          if number == 30 { source.onNext(4) }
          if number == 50 { source.onCompleted() }
          return number == 60 ? nil : number
        }
      }
      .record(in: log)
    for element in [1, 2, 3, 6, 5, 7] { source.onNext(element) }
    #expect(log.events == ["10", "40", "30", "50", "|"])
    subscription.dispose()
  }

  @Test func `an error of an operator on just ends flatMap once`() {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let subscription =
      source
      .flatMap { element in
        Observable.just(element).map { if $0 == 2 { throw TestError.any } else { $0 } }
      }
      .record(in: log)
    for element in 1...3 { source.onNext(element) }
    #expect(log.events == ["1", "x"])
    #expect(!source.hasObservers)
    subscription.dispose()
  }

  @Test func `an operator on just that disposes of flatMap emits nothing`() {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let subscription = SerialDisposable()
    subscription.disposable =
      source
      .flatMap { element in
        Observable.just(element).map { number in
          subscription.dispose()
          return number
        }
      }
      .record(in: log)
    source.onNext(1)
    #expect(log.events == [])
    #expect(!source.hasObservers)
  }

  @Test
  func `a source subscribed by an operator on just inside flatMap waits for its trampoline turn`() {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let subscription =
      source
      .flatMap { element in
        Observable.just(element).map { number in
          _ = Observable.of(8, 9).record(in: log)
          return number
        }
      }
      .record(in: log)
    source.onNext(1)
    #expect(log.events == ["1", "8", "9", "|"])
    subscription.dispose()
  }

  @Test func `disposal of flatMap disposes of source and inner observables`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
    let inner = scheduler.createColdObservable([.next(50, 10), .next(300, 11)])
    let observer = scheduler.start(disposed: 265) { source.flatMap { _ in inner } }
    #expect(observer.events == [.next(260, 10)])
    #expect(source.subscriptions == [Subscription(200, 265)])
    #expect(inner.subscriptions == [Subscription(210, 265), Subscription(220, 265)])
  }

  @Test func `concatMap runs one observable at a time and disposes of each before the next`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(215, 2), .completed(220)])
    let inner = scheduler.createColdObservable([.next(10, 10), .next(20, 11), .completed(30)])
    let observer = scheduler.start { source.concatMap { _ in inner } }
    #expect(
      observer.events == [
        .next(220, 10), .next(230, 11), .next(250, 10), .next(260, 11), .completed(270),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(inner.subscriptions == [Subscription(210, 240), Subscription(240, 270)])
  }

  @Test func `concatMap calls its selector when the element arrives`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(215, 2), .completed(220)])
    let inner = scheduler.createColdObservable([.next(2, 10), .next(20, 11), .completed(30)])
    let observer = scheduler.start {
      source.concatMap { element in
        if element == 2 { throw TestError.any }
        return inner
      }
    }
    #expect(observer.events == [.next(212, 10), .error(215, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 215)])
    #expect(inner.subscriptions == [Subscription(210, 215)])
  }

  @Test func `merge(maxConcurrent:) limits the number of running observables`() {
    let cold = scheduler.createColdObservable([.next(10, 1), .completed(30)])
    let source = scheduler.createHotObservable([
      .next(210, cold), .next(212, cold), .next(214, cold), .completed(216),
    ])
    let observer = scheduler.start { source.merge(maxConcurrent: 2) }
    #expect(observer.events == [.next(220, 1), .next(222, 1), .next(250, 1), .completed(270)])
    #expect(
      cold.subscriptions == [
        Subscription(210, 240), Subscription(212, 242), Subscription(240, 270),
      ]
    )
  }

  @Test func `merge and concat flatten an observable of observables`() {
    let sources = Observable.of(Observable.of(1, 2), Observable.of(3, 4))
    #expect(sources.concat().recorded() == "1 2 3 4 |")
    #expect(sources.merge().recorded() == "1 2 3 4 |")
  }

  @Test func `a queued inner observable starts in a new trampoline turn`() {
    let makers: [@Sendable (Observable<Observable<Int>>) -> Observable<Int>] = [
      { $0.concat() }, { $0.merge(maxConcurrent: 1) }, { $0.concatMap { $0 } },
    ]
    for make in makers {
      let waiting = make(.of(.of(1, 2), .of(3, 4)))
      let beside = Observable.of(10, 20, 30, 40, 50, 60)
      #expect(Observable.merge(waiting, beside).recorded() == "10 1 20 2 30 40 50 3 60 4 |")
    }
  }

  @Test func `a queued inner observable starts after its predecessor's subscribe call`() {
    let log = EventRecorder<String>()
    let ending = Observable<Int>.create { observer in
      observer.onCompleted()
      log.append("ended")
      return Disposables.create { log.append("disposed") }
    }
    let subscription = Observable.of(ending, Observable.just(1)).merge(maxConcurrent: 1)
      .record(in: log)
    #expect(log.events == ["ended", "disposed", "1", "|"])
    subscription.dispose()
  }

  @Test func `concatMap of 100,000 synchronous observables does not overflow the stack`() {
    let count = Atomic(0)
    onAnotherThread {
      _ = Observable.range(start: 0, count: 100_000)
        .concatMap { Observable.of($0) }
        .subscribe(onNext: { _ in count.add(1, ordering: .relaxed) })
      let waiting = PublishSubject<Void>()
      let first = waiting.take(1).map { 0 }.asObservable()
      _ = Observable.range(start: 0, count: 100_000)
        .concatMap { $0 == 0 ? first : Observable.just($0) }
        .subscribe(onNext: { _ in count.add(1, ordering: .relaxed) })
      waiting.onNext(())
    }
    #expect(count.load(ordering: .relaxed) == 200_000)
  }

  @Test func `merge emits every element of two threads, one at a time`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let inside = Atomic(0)
    let overlaps = Atomic(0)
    let log = EventRecorder<Int>()
    let completions = Atomic(0)
    let subscription = Observable<Int>.merge(a, b).subscribe(
      onNext: {
        if inside.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
        log.append($0)
        inside.subtract(1, ordering: .relaxed)
      },
      onCompleted: { completions.add(1, ordering: .relaxed) }
    )
    onThreads(2) { index in
      let subject = index == 0 ? a : b
      for element in 0..<20_000 { subject.onNext(element * 2 + index) }
      subject.onCompleted()
    }
    #expect(overlaps.load(ordering: .relaxed) == 0)
    #expect(completions.load(ordering: .relaxed) == 1)
    #expect(log.events.filter { $0 % 2 == 0 } == (0..<20_000).map { $0 * 2 })
    #expect(log.events.filter { $0 % 2 == 1 } == (0..<20_000).map { $0 * 2 + 1 })
    subscription.dispose()
  }

  @Test func `merge emits events queued by another thread in their order, ends included`() {
    let (a, b, c) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
    let log = EventRecorder<String>()
    let subscription = Observable<Int>.merge(a, b, c)
      .do(onNext: { element in
        guard element == 0 else { return }
        onAnotherThread {
          for element in 1...3 { b.onNext(element) }
          b.onCompleted()
          for element in 4...6 { c.onNext(element) }
          c.onError(TestError.any)
          a.onNext(7)
        }
      })
      .record(in: log)
    a.onNext(0)
    #expect(log.events == ["0", "1", "2", "3", "4", "5", "6", "x"])
    subscription.dispose()
  }

  @Test func `merge drops events queued by another thread on disposal`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let (log, serial) = (EventRecorder<Int>(), SerialDisposable())
    serial.disposable = Observable<Int>.merge(a, b).subscribe(onNext: { element in
      log.append(element)
      if element == 0 { onAnotherThread { for element in 1...9 { b.onNext(element) } } }
      if element == 3 { serial.dispose() }
    })
    a.onNext(0)
    #expect(log.events == [0, 1, 2, 3])
  }

  @Test func `merge drops events queued by another thread after a downstream end`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let log = EventRecorder<String>()
    let subscription = Observable<Int>.merge(a, b)
      .map { element -> Int in
        if element == 1 {
          onAnotherThread { b.onNext(2) }
          throw TestError.any
        }
        return element
      }
      .catch { _ in .never() }
      .record(in: log)
    a.onNext(1)
    #expect(log.events.isEmpty)
    subscription.dispose()
  }

  @Test func `flatMap counts one end when source and notifier of take(until:) race`() {
    // Source and notifier both end `take(until:)` while the downstream `flatMap` is busy.
    let (source, stop, inner) = (
      PublishSubject<Int>(), PublishSubject<Void>(), PublishSubject<Int>()
    )
    let log = EventRecorder<String>()
    let subscription = source.take(until: stop)
      .do(onNext: { _ in
        onAnotherThread { stop.onNext(()) }
        onAnotherThread { source.onCompleted() }
      })
      .flatMap { _ in inner }
      .record(in: log)
    source.onNext(1)
    #expect(log.events.isEmpty)
    inner.onNext(7)
    inner.onCompleted()
    #expect(log.events == ["7", "|"])
    subscription.dispose()
  }

  @Test func `flatMap releases an ended inner observable`() {
    let source = PublishSubject<Int>()
    let inner = PublishSubject<Int>()
    let subscription = source.flatMap { _ in inner.take(1) }.subscribe()
    source.onNext(0)
    #expect(
      isReleased { token in
        let once = PublishSubject<Int>()
        let other = source.flatMap { _ in once.do(onNext: { _ in token.hold() }).take(1) }.take(1)
        _ = other.subscribe()
        source.onNext(1)
        once.onNext(1)
      }
    )
    #expect(inner.hasObservers)
    inner.onNext(1)
    #expect(!inner.hasObservers)
    subscription.dispose()
    #expect(!source.hasObservers)
  }

  /// An observable that runs `meanwhile` on another thread during its subscribe call, and records
  /// whether it is disposed of then.
  private func starting(
    _ log: EventRecorder<String>,
    _ meanwhile: @escaping @Sendable () -> Void
  ) -> Observable<Int> {
    .create { observer in
      onAnotherThread(meanwhile)
      log.append("started")
      observer.onNext(9)
      return Disposables.create { log.append("disposed") }
    }
  }

  @Test func `flattening operators emit an error while an inner subscribe call runs`() {
    let makers: [@Sendable (Observable<Observable<Int>>) -> Observable<Int>] = [
      { $0.concat() }, { $0.merge(maxConcurrent: 2) }, { $0.switchLatest() }, { $0.merge() },
      { $0.concatMap { $0 } }, { $0.flatMapLatest { $0 } },
    ]
    for (index, make) in makers.enumerated() {
      let (source, log) = (PublishSubject<Observable<Int>>(), EventRecorder<String>())
      let subscription = make(source).record(in: log)
      source.onNext(starting(log) { source.onError(TestError.any) })
      #expect(log.events == ["x", "started", "disposed"], "operator \(index)")
      subscription.dispose()
    }
  }

  @Test func `concat emits an error while the subscribe call of a queued observable runs`() {
    let (source, first, log) = (
      PublishSubject<Observable<Int>>(), PublishSubject<Int>(), EventRecorder<String>()
    )
    let subscription = source.concat().record(in: log)
    source.onNext(first)
    source.onNext(starting(log) { source.onError(TestError.any) })
    source.onNext(.just(1))
    first.onCompleted()
    #expect(log.events == ["x", "started", "disposed"])
    subscription.dispose()
  }

  @Test func `a recursive flatMap needs no deeper stack with each step`() {
    let steps = EventRecorder<Int>()
    let subscription = SerialDisposable()
    // A thread with 1 MiB of stack.
    onThreads(1) { _ in
      let scheduler = HistoricalScheduler()
      @Sendable func poll() -> Observable<Int> {
        Observable<Int>.timer(.seconds(1), scheduler: scheduler).flatMap {
          steps.append($0)
          return poll()
        }
      }
      subscription.disposable = poll().subscribe()
      scheduler.advanceTo(scheduler.clock.addingTimeInterval(20_000))
    }
    #expect(steps.count == 20_000)
    // The disposal of nested subscriptions is recursive: this thread has a longer stack.
    subscription.dispose()
  }

  @Test func `merge(maxConcurrent:) starts an observable while another subscribe call runs`() {
    let (source, log) = (PublishSubject<Observable<Int>>(), EventRecorder<String>())
    let subscription = source.merge(maxConcurrent: 2).record(in: log)
    source.onNext(starting(log) { source.onNext(.of(1, 2)) })
    #expect(log.events == ["1", "2", "started", "9"])
    subscription.dispose()
  }

  @Test func `concat keeps its order when each observable ends on another thread`() {
    let log = EventRecorder<Int>()
    let sources = (0..<500).map { number in
      Observable<Int>.create { observer in
        let observer = UncheckedSendable(observer)
        DispatchQueue.global().async {
          observer.value.onNext(number)
          observer.value.onCompleted()
        }
        return Disposables.create()
      }
    }
    let done = Latch()
    let subscription = Observable.from(sources).concat()
      .subscribe(onNext: { log.append($0) }, onCompleted: { done.open() })
    done.wait()
    #expect(log.events == Array(0..<500))
    subscription.dispose()
  }

  @Test func `a disposed merge releases queued elements`() {
    let sources = (PublishSubject<Token?>(), PublishSubject<Token?>())
    let (hasBegun, hasQueued) = (Latch(), Latch())
    let subscription = SerialDisposable()
    // A source that outlives the subscription retains its observer.
    let kept = Locked<AnyObserver<Token?>?>(nil)
    let other = Observable<Token?>.create { observer in
      kept.withLock { $0 = observer }
      return sources.1.subscribe(observer)
    }
    subscription.disposable = Observable.merge(sources.0, other)
      .subscribe(onNext: { _ in
        hasBegun.open()
        hasQueued.wait()
        subscription.dispose()
      })
    let first = UncheckedSendable(sources.0)
    let isDone = Latch()
    DispatchQueue.global().async {
      first.value.onNext(nil)
      isDone.open()
    }
    hasBegun.wait()
    #expect(
      isReleased { token in
        for _ in 0..<10 { sources.1.onNext(token) }
        hasQueued.open()
        isDone.wait()
      }
    )
    withExtendedLifetime(kept) {}
  }

  @Test func `a selector that throws is not called again while another thread delivers`() {
    let (source, other) = (PublishSubject<Int>(), PublishSubject<Int>())
    let calls = EventRecorder<Int>()
    let (isInside, mayGoOn) = (Latch(), Latch())
    let log = EventRecorder<String>()
    let subscription =
      source.flatMap { element in
        calls.append(element)
        if element == 1 { throw TestError.any }
        return other.asObservable()
      }
      .do(onNext: { _ in
        isInside.open()
        mayGoOn.wait()
      })
      .record(in: log)
    source.onNext(0)
    onThreads(2) { index in
      if index == 0 { return other.onNext(7) }
      isInside.wait()
      for element in 1...3 { source.onNext(element) }
      #expect(!source.hasObservers)
      mayGoOn.open()
    }
    #expect(calls.events == [0, 1])
    #expect(log.events == ["7", "x"])
    subscription.dispose()
  }

  @Test func `merge(maxConcurrent:) keeps its limit when two threads complete its observables`() {
    let running = Atomic(0)
    let most = Atomic(0)
    let observers = Locked<[AnyObserver<Int>]>([])
    let count = 200
    let sources = (0..<count).map { _ in
      Observable<Int>.create { observer in
        most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        observers.withLock { $0.append(observer) }
        return Disposables.create()
      }
    }
    let log = EventRecorder<Int>()
    let isOver = Atomic(false)
    let subscription = Observable.from(sources).merge(maxConcurrent: 2)
      .subscribe(
        onNext: { log.append($0) }, onCompleted: { isOver.store(true, ordering: .relaxed) })
    onThreads(2, within: 60) { index in
      while !isOver.load(ordering: .relaxed) {
        guard let observer = observers.withLock({ $0.popLast() }) else { continue }
        observer.onNext(index)
        // The next observable may begin before the subscription of this one has returned.
        running.subtract(1, ordering: .relaxed)
        observer.onCompleted()
      }
    }
    #expect(log.count == count)
    #expect(most.load(ordering: .relaxed) == 2)
    #expect(running.load(ordering: .relaxed) == 0)
    subscription.dispose()
  }
}
