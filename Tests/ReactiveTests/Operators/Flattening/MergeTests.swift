import Dispatch
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct MergeTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `sources of many elements take turns`() {
    #expect(Observable<Int>.merge(.of(1, 2, 3), .of(4, 5, 6)).written() == "1 4 2 5 3 6 |")
    #expect(
      Observable<Int>.merge(.range(start: 1, count: 2), .of(7, 8, 9)).written() == "1 7 2 8 9 |"
    )
    #expect(Observable<Int>.merge(.just(1), .of(4, 5), .just(2)).written() == "1 2 4 5 |")
  }

  @Test func `sources take turns also when they are subscribed later`() {
    let source = PublishSubject<Int>()
    let log = Log<String>()
    let subscription = source.flatMap { _ in Observable<Int>.merge(.of(1, 2, 3), .of(4, 5, 6)) }
      .write(to: log)
    source.onNext(0)
    #expect(log.entries == ["1", "4", "2", "5", "3", "6"])
    subscription.dispose()
  }

  @Test func `a subscription inside a handler waits its turn`() {
    let log = Log<String>()
    let bag = DisposeBag()
    Observable.of(1, 2).subscribe(onNext: { outer in
      log.append("\(outer)")
      Observable.of(10 * outer, 10 * outer + 1).subscribe(onNext: { log.append("\($0)") }).disposed(
        by: bag
      )
      log.append("after \(outer)")
    })
    .disposed(by: bag)
    #expect(log.entries == ["1", "after 1", "10", "2", "after 2", "11", "20", "21"])
  }

  @Test func `completes when all have and disposes of each where it ends`() {
    let a = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .completed(245)])
    let b = scheduler.createHotObservable([.next(220, 3), .completed(300)])
    let observer = scheduler.start { Observable<Int>.merge(a.asObservable(), b.asObservable()) }
    #expect(observer.events == [.next(210, 1), .next(220, 3), .next(240, 2), .completed(300)])
    #expect(a.subscriptions == [Subscription(200, 245)])
    #expect(b.subscriptions == [Subscription(200, 300)])
  }

  @Test func `the first error ends it and disposes of the others`() {
    let a = scheduler.createHotObservable([.next(210, 1), .error(245, TestError.any)])
    let b = scheduler.createHotObservable([.next(220, 3), .next(250, 4), .completed(300)])
    let observer = scheduler.start { Observable<Int>.merge(a.asObservable(), b.asObservable()) }
    #expect(observer.events == [.next(210, 1), .next(220, 3), .error(245, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 245)])
    #expect(b.subscriptions == [Subscription(200, 245)])
  }

  @Test func `merges nothing to nothing`() {
    #expect(Observable<Int>.merge([Observable<Int>]()).written() == "|")
  }

  @Test func `a delayed error comes when all have ended, the first one of several`() {
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

  @Test func `flatMap waits for the source and all inner observables`() {
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

  @Test func `an error of an inner observable ends flatMap and everything in it`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(500)])
    let inner = scheduler.createColdObservable([.next(5, 10), .error(30, TestError.any)])
    let observer = scheduler.start { source.flatMap { _ in inner } }
    #expect(observer.events == [.next(215, 10), .next(225, 10), .error(240, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 240)])
    #expect(inner.subscriptions == [Subscription(210, 240), Subscription(220, 240)])
  }

  @Test func `an error thrown by the selector ends flatMap and disposes of the source`() {
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
  func `stages of one element inside flatMap run each time, with what their closures do meanwhile`()
  {
    let (source, log) = (PublishSubject<Int>(), Log<String>())
    let subscription =
      source
      .flatMap { element in
        Observable.just(element).map { $0 * 10 }.filter { $0 != 20 }.compactMap { number in
          if number == 30 { source.onNext(4) }
          if number == 50 { source.onCompleted() }
          return number == 60 ? nil : number
        }
      }
      .write(to: log)
    for element in [1, 2, 3, 6, 5, 7] { source.onNext(element) }
    #expect(log.entries == ["10", "40", "30", "50", "|"])
    subscription.dispose()
  }

  @Test func `an error thrown by a stage of one element ends flatMap once`() {
    let (source, log) = (PublishSubject<Int>(), Log<String>())
    let subscription =
      source
      .flatMap { element in
        Observable.just(element).map { if $0 == 2 { throw TestError.any } else { $0 } }
      }
      .write(to: log)
    for element in 1...3 { source.onNext(element) }
    #expect(log.entries == ["1", "x"])
    #expect(!source.hasObservers)
    subscription.dispose()
  }

  @Test func `a stage of one element that disposes of flatMap delivers nothing`() {
    let (source, log) = (PublishSubject<Int>(), Log<String>())
    let subscription = SerialDisposable()
    subscription.disposable =
      source
      .flatMap { element in
        Observable.just(element).map { number in
          subscription.dispose()
          return number
        }
      }
      .write(to: log)
    source.onNext(1)
    #expect(log.entries == [])
    #expect(!source.hasObservers)
  }

  @Test func `what a stage of one element subscribes inside flatMap waits its turn`() {
    let (source, log) = (PublishSubject<Int>(), Log<String>())
    let subscription =
      source
      .flatMap { element in
        Observable.just(element).map { number in
          _ = Observable.of(8, 9).write(to: log)
          return number
        }
      }
      .write(to: log)
    source.onNext(1)
    #expect(log.entries == ["1", "8", "9", "|"])
    subscription.dispose()
  }

  @Test func `disposal disposes of the source and the inner observables`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
    let inner = scheduler.createColdObservable([.next(50, 10), .next(300, 11)])
    let observer = scheduler.start(disposed: 265) { source.flatMap { _ in inner } }
    #expect(observer.events == [.next(260, 10)])
    #expect(source.subscriptions == [Subscription(200, 265)])
    #expect(inner.subscriptions == [Subscription(210, 265), Subscription(220, 265)])
  }

  @Test func `concatMap runs one after the other and disposes of each before the next`() {
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

  @Test func `no more than maxConcurrent run at a time`() {
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

  @Test func `merge and concat of observables of observables`() {
    let sources = Observable.of(Observable.of(1, 2), Observable.of(3, 4))
    #expect(sources.concat().written() == "1 2 3 4 |")
    #expect(sources.merge().written() == "1 2 3 4 |")
  }

  @Test func `what waited begins in a turn of its own behind those that are queued`() {
    let makers: [@Sendable (Observable<Observable<Int>>) -> Observable<Int>] = [
      { $0.concat() }, { $0.merge(maxConcurrent: 1) }, { $0.concatMap { $0 } },
    ]
    for make in makers {
      let waiting = make(.of(.of(1, 2), .of(3, 4)))
      let beside = Observable.of(10, 20, 30, 40, 50, 60)
      #expect(Observable.merge(waiting, beside).written() == "10 1 20 2 30 40 50 3 60 4 |")
    }
  }

  @Test func `what waited begins after the work in which the one before has ended`() {
    let log = Log<String>()
    let ending = Observable<Int>.create { observer in
      observer.onCompleted()
      log.append("ended")
      return Disposables.create { log.append("disposed") }
    }
    let subscription = Observable.of(ending, Observable.just(1)).merge(maxConcurrent: 1)
      .write(to: log)
    #expect(log.entries == ["ended", "disposed", "1", "|"])
    subscription.dispose()
  }

  @Test func `a hundred thousand observables that end at once need no deep stack`() {
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

  @Test func `elements from two threads are delivered one at a time and none is lost`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let inside = Atomic(0)
    let overlaps = Atomic(0)
    let log = Log<Int>()
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
    #expect(log.entries.filter { $0 % 2 == 0 } == (0..<20_000).map { $0 * 2 })
    #expect(log.entries.filter { $0 % 2 == 1 } == (0..<20_000).map { $0 * 2 + 1 })
    subscription.dispose()
  }

  @Test func `what another thread brings meanwhile follows in its order, ends among it`() {
    let (a, b, c) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
    let log = Log<String>()
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
      .write(to: log)
    a.onNext(0)
    #expect(log.entries == ["0", "1", "2", "3", "4", "5", "6", "x"])
    subscription.dispose()
  }

  @Test func `what another thread brought is dropped when the observer disposes of it meanwhile`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let (log, serial) = (Log<Int>(), SerialDisposable())
    serial.disposable = Observable<Int>.merge(a, b).subscribe(onNext: { element in
      log.append(element)
      if element == 0 { onAnotherThread { for element in 1...9 { b.onNext(element) } } }
      if element == 3 { serial.dispose() }
    })
    a.onNext(0)
    #expect(log.entries == [0, 1, 2, 3])
  }

  @Test func `what another thread brought is dropped when the result has ended`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let log = Log<String>()
    let subscription = Observable<Int>.merge(a, b)
      .map { element -> Int in
        if element == 1 {
          onAnotherThread { b.onNext(2) }
          throw TestError.any
        }
        return element
      }
      .catch { _ in .never() }
      .write(to: log)
    a.onNext(1)
    #expect(log.entries.isEmpty)
    subscription.dispose()
  }

  @Test func `an end that another thread brought is counted once`() {
    // Both the source and the stopper end `take(until:)` while `flatMap` behind it is busy.
    let (source, stop, inner) = (
      PublishSubject<Int>(), PublishSubject<Void>(), PublishSubject<Int>()
    )
    let log = Log<String>()
    let subscription = source.take(until: stop)
      .do(onNext: { _ in
        onAnotherThread { stop.onNext(()) }
        onAnotherThread { source.onCompleted() }
      })
      .flatMap { _ in inner }
      .write(to: log)
    source.onNext(1)
    #expect(log.entries.isEmpty)
    inner.onNext(7)
    inner.onCompleted()
    #expect(log.entries == ["7", "|"])
    subscription.dispose()
  }

  @Test func `an ended inner observable is released`() {
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

  /// An observable that, while it is being started, lets another thread run `meanwhile`, and then
  /// tells whether it is still wanted.
  private func starting(
    _ log: Log<String>,
    _ meanwhile: @escaping @Sendable () -> Void
  ) -> Observable<Int> {
    .create { observer in
      onAnotherThread(meanwhile)
      log.append("started")
      observer.onNext(9)
      return Disposables.create { log.append("disposed") }
    }
  }

  @Test func `an error is not kept waiting by an observable that is being started`() {
    let makers: [@Sendable (Observable<Observable<Int>>) -> Observable<Int>] = [
      { $0.concat() }, { $0.merge(maxConcurrent: 2) }, { $0.switchLatest() }, { $0.merge() },
      { $0.concatMap { $0 } }, { $0.flatMapLatest { $0 } },
    ]
    for (index, make) in makers.enumerated() {
      let (source, log) = (PublishSubject<Observable<Int>>(), Log<String>())
      let subscription = make(source).write(to: log)
      source.onNext(starting(log) { source.onError(TestError.any) })
      #expect(log.entries == ["x", "started", "disposed"], "operator \(index)")
      subscription.dispose()
    }
  }

  @Test func `an observable that follows another one does not keep an error waiting`() {
    let (source, first, log) = (
      PublishSubject<Observable<Int>>(), PublishSubject<Int>(), Log<String>()
    )
    let subscription = source.concat().write(to: log)
    source.onNext(first)
    source.onNext(starting(log) { source.onError(TestError.any) })
    source.onNext(.just(1))
    first.onCompleted()
    #expect(log.entries == ["x", "started", "disposed"])
    subscription.dispose()
  }

  @Test func `a free place is taken while another observable is being started`() {
    let (source, log) = (PublishSubject<Observable<Int>>(), Log<String>())
    let subscription = source.merge(maxConcurrent: 2).write(to: log)
    source.onNext(starting(log) { source.onNext(.of(1, 2)) })
    #expect(log.entries == ["1", "2", "started", "9"])
    subscription.dispose()
  }

  @Test func `concat keeps its order when each ends on another thread`() {
    let log = Log<Int>()
    let sources = (0..<500).map { number in
      Observable<Int>.create { observer in
        let observer = Transferable(observer)
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
    #expect(log.entries == Array(0..<500))
    subscription.dispose()
  }

  @Test func `elements that wait when a merge is disposed of are let go of`() {
    let sources = (PublishSubject<Token?>(), PublishSubject<Token?>())
    let (hasBegun, hasQueued) = (Latch(), Latch())
    let subscription = SerialDisposable()
    // A source that outlives the subscription keeps what it delivers to.
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
    let first = Transferable(sources.0)
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
    let calls = Log<Int>()
    let (isInside, mayGoOn) = (Latch(), Latch())
    let log = Log<String>()
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
      .write(to: log)
    source.onNext(0)
    onThreads(2) { index in
      if index == 0 { return other.onNext(7) }
      isInside.wait()
      for element in 1...3 { source.onNext(element) }
      #expect(!source.hasObservers)
      mayGoOn.open()
    }
    #expect(calls.entries == [0, 1])
    #expect(log.entries == ["7", "x"])
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
        return Disposables.create { running.subtract(1, ordering: .relaxed) }
      }
    }
    let log = Log<Int>()
    let isOver = Atomic(false)
    let subscription = Observable.from(sources).merge(maxConcurrent: 2)
      .subscribe(
        onNext: { log.append($0) }, onCompleted: { isOver.store(true, ordering: .relaxed) })
    onThreads(2, within: 60) { index in
      while !isOver.load(ordering: .relaxed) {
        guard let observer = observers.withLock({ $0.popLast() }) else { continue }
        observer.onNext(index)
        observer.onCompleted()
      }
    }
    #expect(log.count == count)
    #expect(most.load(ordering: .relaxed) == 2)
    #expect(running.load(ordering: .relaxed) == 0)
    subscription.dispose()
  }
}
