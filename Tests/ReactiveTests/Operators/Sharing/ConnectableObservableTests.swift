import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ConnectableObservableTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(110, 9), .next(220, 1), .next(240, 2), .next(260, 3), .next(280, 4), .completed(300),
    ])
  }

  @Test func `publish emits while it is connected`() {
    let published = source.publish()
    var connection: (any Disposable)?
    scheduler.scheduleAt(230) { connection = published.connect() }
    scheduler.scheduleAt(250) { connection?.dispose() }
    scheduler.scheduleAt(270) { connection = published.connect() }
    let observer = scheduler.start { published }
    #expect(observer.events == [.next(240, 2)])
    #expect(source.subscriptions == [Subscription(230, 250), Subscription(270, 300)])
  }

  @Test func `observers of publish share one subscription and its end`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let subscriptions = Atomic(0)
    let published =
      subject
      .do(onSubscribe: { subscriptions.add(1, ordering: .relaxed) }).publish()
    let bag = DisposeBag()
    published.record(in: log, "a").disposed(by: bag)
    published.record(in: log, "b").disposed(by: bag)
    published.connect().disposed(by: bag)
    published.connect().disposed(by: bag)
    subject.onNext(1)
    subject.onError(TestError.any)
    #expect(log.events == ["a1", "b1", "ax", "bx"])
    #expect(subscriptions.load(ordering: .relaxed) == 1)
  }

  @Test func `an observer that subscribes to publish during the end waits for a new connection`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let published = subject.publish()
    let bag = DisposeBag()
    published.subscribe(onCompleted: { published.record(in: log).disposed(by: bag) })
      .disposed(by: bag)
    published.connect().disposed(by: bag)
    subject.onCompleted()
    #expect(log.events.isEmpty)
    published.connect().disposed(by: bag)
    #expect(log.events == ["|"])
  }

  @Test func `replay repeats the last elements and replayAll all elements`() {
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    let subject = PublishSubject<Int>()
    let (two, all) = (subject.replay(2), subject.replayAll())
    two.connect().disposed(by: bag)
    all.connect().disposed(by: bag)
    for element in 1...3 { subject.onNext(element) }
    two.record(in: log, "two ").disposed(by: bag)
    all.record(in: log, "all ").disposed(by: bag)
    #expect(log.events == ["two 2", "two 3", "all 1", "all 2", "all 3"])
  }

  @Test func `multicast emits through the given subject`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let through = BehaviorSubject(value: 0)
    let multicasted = subject.multicast(through)
    let bag = DisposeBag()
    multicasted.record(in: log).disposed(by: bag)
    multicasted.connect().disposed(by: bag)
    subject.onNext(1)
    subject.onCompleted()
    #expect(log.events == ["0", "1", "|"])
    #expect(multicasted.recorded() == "|")
  }

  @Test func `multicast with a selector connects once for each subscription`() {
    let observer = scheduler.start {
      source.multicast({ PublishSubject<Int>() }) { shared in
        Observable.zip(shared, shared.skip(1)) { $0 * 10 + $1 }
      }
    }
    #expect(observer.events == [.next(240, 12), .next(260, 23), .next(280, 34), .completed(300)])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test func `multicast ends with errors of its closures`() {
    let selecting = source.multicast(
      { PublishSubject<Int>() }, selector: { _ -> Observable<Int> in throw TestError.any })
    #expect(scheduler.start { selecting }.events == [.error(200, TestError.any)])
    let making = Observable.of(1).multicast(
      { () -> PublishSubject<Int> in throw TestError.any }, selector: { $0 })
    #expect(making.recorded() == "x")
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `refCount connects with the first observer and disconnects with the last`() {
    let counted = source.publish().refCount()
    let first = scheduler.createObserver(Int.self)
    var subscription: (any Disposable)?
    scheduler.scheduleAt(210) { subscription = counted.subscribe(first) }
    scheduler.scheduleAt(250) { subscription?.dispose() }
    let second = scheduler.start(created: 100, subscribed: 230, disposed: 270) { counted }
    #expect(first.events == [.next(220, 1), .next(240, 2)])
    #expect(second.events == [.next(240, 2), .next(260, 3)])
    #expect(source.subscriptions == [Subscription(210, 270)])
  }

  @Test func `refCount connects again after and during the end`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let counted = subject.publish().refCount()
    let bag = DisposeBag()
    counted.subscribe(onError: { _ in counted.record(in: log, "b").disposed(by: bag) })
      .disposed(by: bag)
    counted.record(in: log, "a").disposed(by: bag)
    subject.onError(TestError.any)
    #expect(log.events == ["bx", "ax"])
    let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let again = source.publish().refCount()
    let observer = scheduler.start { again.concat(again) }
    #expect(
      observer.events == [.next(210, 1), .next(230, 1), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 240)])
  }

  @Test func `refCount does not connect for an observer that ends during subscribe`() {
    let connected = source.replay(1).refCount()
    let observer = scheduler.start { connected.startWith(0).take(1) }
    #expect(observer.events == [.next(200, 0), .completed(200)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `autoconnect connects with the first observer and stays connected`() {
    let connected = source.replay(1).autoconnect()
    let first = scheduler.createObserver(Int.self)
    var subscription: (any Disposable)?
    scheduler.scheduleAt(210) { subscription = connected.subscribe(first) }
    scheduler.scheduleAt(230) { subscription?.dispose() }
    let second = scheduler.start(created: 100, subscribed: 250, disposed: 270) { connected }
    #expect(first.events == [.next(220, 1)])
    #expect(second.events == [.next(250, 2), .next(260, 3)])
    #expect(source.subscriptions == [Subscription(210, 300)])
  }

  @Test func `an observer of autoconnect that is late receives the end`() {
    let replayed = source.replay(1).autoconnect()
    let published = source.publish().autoconnect()
    for connected in [replayed, published] {
      scheduler.scheduleAt(210) { _ = connected.subscribe() }
    }
    let late = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(400) { _ = published.subscribe(late) }
    let lateReplay = scheduler.start(created: 100, subscribed: 400, disposed: 500) { replayed }
    #expect(late.events == [.completed(400)])
    #expect(lateReplay.events == [.next(400, 4), .completed(400)])
    #expect(source.subscriptions == [Subscription(210, 300), Subscription(210, 300)])
  }

  @Test func `an ended connection releases its source`() {
    let isGone = isReleased { token in
      let published = Observable.of(1).do(onNext: { _ in token.hold() }).publish()
      published.connect().dispose()
    }
    #expect(isGone)
  }

  @Test func `observers of refCount on four threads share one subscription`() {
    for _ in 0..<200 {
      let subject = PublishSubject<Int>()
      let subscriptions = Atomic(0)
      let counted =
        subject
        .do(onSubscribe: { subscriptions.add(1, ordering: .relaxed) }).publish().refCount()
      let bag = DisposeBag()
      onThreads(4) { _ in counted.subscribe().disposed(by: bag) }
      #expect(subscriptions.load(ordering: .relaxed) == 1)
      bag.dispose()
      #expect(!subject.hasObservers)
    }
  }

  @Test func `refCount works with a custom ConnectableObservableType`() {
    struct Own: ConnectableObservableType {
      let wrapped: ConnectableObservable<Int>

      func asObservable() -> Observable<Int> { wrapped }
      func connect() -> any Disposable { wrapped.connect() }
      func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
      where Observer.Element == Int { wrapped.subscribe(observer) }
    }
    let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let counted = Own(wrapped: source.publish()).refCount()
    let early = scheduler.start(created: 100, subscribed: 200, disposed: 205) {
      Observable.merge(counted, counted)
    }
    #expect(early.events.isEmpty)
    let again = scheduler.start(created: 300, subscribed: 300, disposed: 400) {
      counted.concat(counted)
    }
    #expect(again.events == [.next(310, 1), .next(330, 1), .completed(340)])
    #expect(
      source.subscriptions
        == [Subscription(200, 205), Subscription(300, 320), Subscription(320, 340)])
  }

  @Test func `an observer disposed of inside a custom subject of multicast receives nothing`() {
    let (source, log, subscription) = (
      PublishSubject<Int>(), EventRecorder<Int>(), SerialDisposable()
    )
    let published = source.multicast(LeavingSubject { subscription.dispose() })
    subscription.disposable = published.subscribe(onNext: { log.append($0) })
    let connection = published.connect()
    source.onNext(1)
    #expect(log.events == [])
    connection.dispose()
  }

  @Test func `one subject of two connections delivers one element at a time`() {
    let senders = EventRecorder<AnyObserver<Int>>()
    let source = Observable<Int>.create { observer in
      senders.append(observer)
      return Disposables.create()
    }
    let connectable = source.multicast(PublishSubject<Int>())
    let (isInside, mayGoOn) = (Latch(), Latch())
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    connectable.subscribe(onNext: { element in
      log.append("+\(element)")
      if element == 0 {
        isInside.open()
        mayGoOn.wait()
      }
      log.append("-\(element)")
    })
    .disposed(by: bag)
    let first = connectable.connect()
    onThreads(2) { index in
      if index == 0 { return senders.events[0].onNext(0) }
      isInside.wait()
      first.dispose()
      connectable.connect().disposed(by: bag)
      senders.events[1].onNext(1)
      mayGoOn.open()
    }
    #expect(log.events == ["+0", "-0", "+1", "-1"])
  }
}

/// A subject that runs a closure before it delivers to its observers.
private final class LeavingSubject: SubjectType {
  private let inner = PublishSubject<Int>()
  private let observable: Observable<Int>

  init(_ leave: @escaping @Sendable () -> Void) {
    observable = inner.map {
      leave()
      return $0
    }
  }

  func asObserver() -> AnyObserver<Int> { inner.asObserver() }
  func asObservable() -> Observable<Int> { observable }
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Int { observable.subscribe(observer) }
}
