import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

/// Sharing and replaying while threads add and remove observers.
@Suite("Sharing between threads", .workerPool)
struct SharingRaceTests {
  struct Sharing: Sendable, CustomTestStringConvertible {
    let replay: Int
    let scope: SubjectLifetimeScope
    var testDescription: String { "share(replay: \(replay), scope: \(scope))" }
  }

  static let sharings = [0, 1, 2].flatMap { replay in
    [SubjectLifetimeScope.whileConnected, .forever].map { Sharing(replay: replay, scope: $0) }
  }

  private static let rounds = 500

  @Test(arguments: sharings)
  func `first observers of share on two threads make one connection`(sharing: Sharing) {
    for _ in 0..<Self.rounds {
      let connections = Atomic(0)
      let subject = PublishSubject<Int>()
      let shared = subject.do(onSubscribe: { connections.add(1, ordering: .relaxed) })
        .share(replay: sharing.replay, scope: sharing.scope)
      let received = Atomic(0)
      let bag = DisposeBag()
      onThreads(2, within: 20) { _ in
        shared.subscribe(onNext: { _ in received.add(1, ordering: .relaxed) }).disposed(by: bag)
      }
      #expect(connections.load(ordering: .relaxed) == 1)
      subject.onNext(1)
      #expect(received.load(ordering: .relaxed) == 2)
    }
  }

  /// Operators that go on after the end of their source.
  static let operatorsThatGoOn: [String: @Sendable (Observable<Int>) -> Observable<Int>] = [
    "catch": { $0.catch { _ in .never() } },
    "concat": { $0.concat(Observable.never()) },
    "flatMap": { source in Observable.just(0).concat(Observable.never()).flatMap { _ in source } },
    "merge": { .merge($0, .never()) },
    "retry": { $0.retry(3) },
    "using": { source in .using({ BooleanDisposable() }, observableFactory: { _ in source }) },
  ]

  @Test(arguments: operatorsThatGoOn.keys.sorted())
  func `share subscribes again after an operator before it has disposed of what has ended`(
    name: String
  ) throws {
    let now = Atomic(0)
    let most = Atomic(0)
    let (isDisposing, continues) = (Latch(), Latch())
    let isFirst = Atomic(true)
    let trigger = PublishSubject<Void>()
    let source = Observable<Int>.create { observer in
      let count = now.add(1, ordering: .relaxed).newValue
      most.max(count, ordering: .relaxed)
      let end = trigger.subscribe(onNext: {
        if ["catch", "retry"].contains(name) {
          observer.onError(TestError.any)
        } else {
          observer.onCompleted()
        }
      })
      return Disposables.create {
        end.dispose()
        if isFirst.exchange(false, ordering: .relaxed) {
          isDisposing.open()
          continues.wait()
        }
        now.subtract(1, ordering: .relaxed)
      }
    }
    let apply = try #require(Self.operatorsThatGoOn[name])
    let shared = apply(source).share()
    let first = shared.subscribe(onError: { _ in })
    let second = SerialDisposable()
    onThreads(2) { index in
      if index == 0 { return trigger.onNext(()) }
      isDisposing.wait()
      first.dispose()
      second.disposable = shared.subscribe(onError: { _ in })
      #expect(most.load(ordering: .relaxed) == 1)
      continues.open()
    }
    #expect(most.load(ordering: .relaxed) == 1)
    #expect(now.load(ordering: .relaxed) == 1)
    second.dispose()
    #expect(now.load(ordering: .relaxed) == 0)
  }

  @Test(arguments: ["create", "catch"])
  func `an observer that subscribes in the delivery of the end gets a subscription at once`(
    name: String
  ) {
    let trigger = PublishSubject<Void>()
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      return trigger.subscribe(
        onError: { observer.onError($0) }, onCompleted: { observer.onCompleted() })
    }
    let shared = (name == "create" ? source : source.catchAndReturn(2)).share()
    let received = EventRecorder<Int>()
    _ = shared.subscribe(onCompleted: {
      shared.subscribe(onNext: { received.append($0) }).dispose()
      received.append(0)
    })
    if name == "create" { trigger.onCompleted() } else { trigger.onError(TestError.any) }
    // The trigger has ended, so that the second subscription fails at once, and is caught.
    #expect(received.events == (name == "create" ? [1, 0] : [1, 2, 0]))
  }

  @Test func `an observer that subscribes in the delivery of the end starts what already waits`() {
    let received = EventRecorder<String>()
    let trigger = PublishSubject<Void>()
    let onRelease = Locked<(@Sendable () -> Void)?>(nil)
    let shared = Observable<Int>.create { observer in
      observer.onNext(1)
      let end = trigger.subscribe(onNext: { observer.onCompleted() })
      return Disposables.create {
        end.dispose()
        onRelease.withLock { $0.take() }?()
      }
    }
    .share()
    let bag = DisposeBag()
    onRelease.withLock {
      $0 = {
        shared.subscribe(onNext: { _ in received.append("first") }).disposed(by: bag)
      }
    }
    shared.subscribe(onCompleted: {
      shared.subscribe(onNext: { _ in received.append("second") }).disposed(by: bag)
      received.append("end delivered")
    })
    .disposed(by: bag)
    trigger.onNext(())
    #expect(received.events == ["first", "second", "end delivered"])
  }

  @Test func `share subscribes again after onDisposed of the subscription whose end it delivers`() {
    let (now, most) = (Locked(0), Locked(0))
    let feed = PublishSubject<Void>()
    let shared = Observable<Int>.create { observer in
      let count = now.withLock { now in
        now += 1
        return now
      }
      most.withLock { $0 = max($0, count) }
      return feed.subscribe(
        onNext: { observer.onCompleted() }, onCompleted: { observer.onCompleted() },
        onDisposed: { now.withLock { $0 -= 1 } })
    }
    .share()
    _ = shared.concat(shared).subscribe()
    feed.onCompleted()
    #expect(most.withLock { $0 } == 1)
    #expect(now.withLock { $0 } == 0)
  }

  @Test func `share waits for a disposable that is disposed of by itself on another thread`() {
    let (now, most) = (Locked(0), Locked(0))
    let (isDisposing, continues) = (Latch(), Latch())
    let stash = Locked<(any Disposable)?>(nil)
    let shared = Observable<Int>.create { _ in
      let count = now.withLock { now in
        now += 1
        return now
      }
      most.withLock { $0 = max($0, count) }
      let isFirst = stash.withLock { $0 == nil }
      let disposable = Disposables.create {
        if isFirst {
          isDisposing.open()
          continues.wait()
        }
        now.withLock { $0 -= 1 }
      }
      stash.withLock { $0 = disposable }
      return disposable
    }
    .share()
    let (first, second) = (shared.subscribe(), SerialDisposable())
    let stashed = stash.withLock { $0 }
    onThreads(2) { index in
      if index == 0 { return stashed?.dispose() ?? () }
      isDisposing.wait()
      first.dispose()
      second.disposable = shared.subscribe()
      #expect(most.withLock { $0 } == 1)
      continues.open()
    }
    #expect(most.withLock { $0 } == 1)
    #expect(now.withLock { $0 } == 1)
    second.dispose()
    #expect(now.withLock { $0 } == 0)
  }

  @Test(arguments: sharings)
  func `share disconnects when a first and a last observer race`(sharing: Sharing) {
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: sharing.replay, scope: sharing.scope)
    onThreads(2, within: 20) { _ in
      for _ in 0..<Self.rounds * 2 { shared.subscribe().dispose() }
    }
    #expect(!subject.hasObservers)
    let log = EventRecorder<String>()
    let subscription = shared.record(in: log)
    subject.onNext(1)
    #expect(log.events == ["1"])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test(arguments: sharings)
  func `share delivers in order, each element once, to observers that subscribe during emissions`(
    sharing: Sharing
  ) {
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: sharing.replay, scope: sharing.scope)
    onThreads(2, within: 20) { index in
      for element in 0..<Self.rounds * 2 {
        if index == 0 {
          subject.onNext(element)
        } else {
          let log = EventRecorder<Int>()
          let subscription = shared.subscribe(onNext: { log.append($0) })
          subscription.dispose()
          // Each element once and in order.
          let received = log.events
          #expect(received == received.sorted() && Set(received).count == received.count)
        }
      }
    }
    #expect(!subject.hasObservers)
  }

  @Test(arguments: sharings)
  func `every racing observer of share receives the end of a synchronous source`(sharing: Sharing) {
    for _ in 0..<Self.rounds {
      let shared = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onCompleted()
        return Disposables.create()
      }
      .share(replay: sharing.replay, scope: sharing.scope)
      let ends = Atomic(0)
      onThreads(2, within: 20) { _ in
        _ = shared.subscribe(onCompleted: { ends.add(1, ordering: .relaxed) })
      }
      #expect(ends.load(ordering: .relaxed) == 2)
    }
  }

  @Test(arguments: sharings)
  func `observers of a shared source that emits at once receive its elements in order`(
    sharing: Sharing
  ) {
    let shared = Observable<Int>.create { observer in
      for element in 1...3 { observer.onNext(element) }
      return Disposables.create()
    }
    .share(replay: sharing.replay, scope: sharing.scope)
    onThreads(2, within: 20) { _ in
      for _ in 0..<Self.rounds {
        let log = EventRecorder<Int>()
        shared.subscribe(onNext: { log.append($0) }).dispose()
        let received = log.events
        // The kept elements of a previous connection come before 1.
        let isInOrder = zip(received, received.dropFirst()).allSatisfy { $0 + 1 == $1 || $1 == 1 }
        #expect(isInOrder, "received \(received)")
      }
    }
  }

  @Test(arguments: sharings)
  func `zip of a shared source taken twice completes while another thread sends`(sharing: Sharing) {
    for _ in 0..<Self.rounds / 2 {
      let subject = PublishSubject<Int>()
      let shared = subject.share(replay: sharing.replay, scope: sharing.scope)
      let zipped = Observable.zip(shared.take(1), shared.take(1)).map { $0 + $1 }
      let ended = Atomic(false)
      let bag = DisposeBag()
      onThreads(2, within: 20) { index in
        if index == 0 {
          for element in 0..<5 { subject.onNext(element) }
        } else {
          zipped.subscribe(onCompleted: { ended.store(true, ordering: .relaxed) }).disposed(by: bag)
        }
      }
      // Each of the two subscriptions may have missed all elements.
      for element in 5..<7 { subject.onNext(element) }
      #expect(ended.load(ordering: .relaxed) == true)
      #expect(!subject.hasObservers)
    }
  }

  // Subjects that replay with a lock held would deadlock.
  @Test func `behavior subjects that read and send to each other while replaying do not deadlock`()
  {
    // The elements are the depth of nested sends, which is limited to protect the stack.
    let subjects = [BehaviorSubject(value: 0), BehaviorSubject(value: 0)]
    let budget = Atomic(10_000)
    onThreads(2, within: 20) { index in
      let (mine, other) = (subjects[index], subjects[1 - index])
      for _ in 0..<Self.rounds {
        mine.onNext(0)
        mine.subscribe(onNext: { depth in
          if depth >= 50 || budget.subtract(1, ordering: .relaxed).newValue < 0 { return }
          _ = try? other.value()
          other.take(1).subscribe().dispose()
          other.onNext(depth + 1)
        })
        .dispose()
      }
    }
  }

  @Test func `subjects and relays deliver every element of two concurrent senders`() {
    let (publish, replay) = (PublishSubject<Int>(), ReplaySubject<Int>.create(bufferSize: 3))
    let behavior = BehaviorSubject(value: 0)
    let relays = (PublishRelay<Int>(), BehaviorRelay(value: 0))
    let received = (0..<5).map { _ in Locked(0) }
    let bag = DisposeBag()
    let sources: [Observable<Int>] = [
      publish, replay, behavior.skip(1), relays.0.asObservable(), relays.1.skip(1),
    ]
    for (source, received) in zip(sources, received) {
      source.subscribe(onNext: { _ in received.withLock { $0 += 1 } }).disposed(by: bag)
    }
    onThreads(3, within: 20) { index in
      for element in 0..<1_000 {
        // The third thread adds and removes observers.
        if index == 2 {
          for source in sources { source.subscribe().dispose() }
          continue
        }
        publish.onNext(element)
        replay.onNext(element)
        behavior.onNext(element)
        relays.0.accept(element)
        relays.1.accept(element)
      }
    }
    #expect(received.map { $0.withLock { $0 } } == [2_000, 2_000, 2_000, 2_000, 2_000])
    publish.onCompleted()
    #expect(publish.recorded() == "|")
  }
}
