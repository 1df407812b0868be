import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite(.workerPool(limit: 300)) struct DriverTests {
  @Test func `a driver delivers on its scheduler and replays the last element`() {
    let relay = BehaviorRelay(value: 1)
    let log = EventRecorder<String>()
    inMockedTime { scheduler in
      let driver = relay.asDriver()
      _ = driver.drive(onNext: { log.append("a\($0)") })
      scheduler.scheduleAt(210) { relay.accept(2) }
      scheduler.scheduleAt(220) { _ = driver.drive(onNext: { log.append("b\($0)") }) }
    }
    #expect(log.events == ["a1", "a2", "b2"])
  }

  @Test func `a driver delivers at once on the main thread while work is queued`() {
    onAnotherThread {
      _ = MainScheduler.instance.schedule(()) { Disposables.create() }
      _ = Observable.just(1).asDriver(onErrorJustReturn: 0).drive(onNext: { _ in })
    }
    let log = EventRecorder<Int>()
    let subscription = BehaviorRelay(value: 1).asDriver().drive(onNext: { log.append($0) })
    #expect(log.events == [1])
    subscription.dispose()
  }

  @Test func `a driver first observed on another thread calls closures on the main thread`() async {
    let driver = PublishSubject<Int>().asDriver(onErrorJustReturn: 0).startWith(1).startWith(2)
    let (isInside, mayGoOn) = (Latch(), Latch())
    let other = Locked<(any Disposable)?>(nil)
    DispatchQueue.global().async {
      let subscription = driver.asObservable().subscribe(onNext: { element in
        guard element == 2 else { return }
        isInside.open()
        mayGoOn.wait()
      })
      other.withLock { $0 = subscription }
    }
    await isInside.opened()
    let log = EventRecorder<String>()
    let arrived = Latch()
    let subscription = driver.drive(onNext: { element in
      log.append("\(element) \(MainScheduler.isCurrent)")
      if element == 1 { arrived.open() }
    })
    // The thread of the first observer, not the main thread, sends the next element.
    mayGoOn.open()
    await arrived.opened()
    #expect(log.events == ["2 true", "1 true"])
    subscription.dispose()
    other.withLock { $0 }?.dispose()
  }

  @Test func `a driver delivers elements of other threads on the main thread`() async {
    let subject = PublishSubject<Int>()
    let arrived = Latch()
    let log = EventRecorder<Bool>()
    let subscription = subject.asDriver(onErrorJustReturn: 0).drive(onNext: { _ in
      MainActor.assertIsolated()
      log.append(MainScheduler.isCurrent)
      arrived.open()
    })
    DispatchQueue.global().async { subject.onNext(1) }
    await arrived.opened()
    #expect(log.events == [true])
    subscription.dispose()
  }

  @Test func `asDriver replaces an error by an element, a driver or a closure's result`() {
    func recovered(_ recover: @escaping (Observable<Int>) -> Driver<Int>) -> [String] {
      mocked { _ in recover(.error(TestError.any)) }.map { text($0.value) }
    }
    #expect(recovered { $0.asDriver(onErrorJustReturn: 7) } == ["7", "|"])
    #expect(recovered { $0.asDriver(onErrorDriveWith: .just(8)) } == ["8", "|"])
    #expect(recovered { $0.asDriver(onErrorRecover: { _ in .just(9) }) } == ["9", "|"])
  }

  @Test func `operators on a driver return drivers`() {
    let relay = BehaviorRelay(value: 1)
    let target = BehaviorRelay(value: "")
    inMockedTime { scheduler in
      let driver: Driver<String> = relay.asDriver()
        .map { $0 * 2 }.filter { $0 != 4 }.compactMap { $0 }.distinctUntilChanged()
        .scan(0) { $0 + $1 }.startWith(0).skip(1).map { "\($0)" }
      _ = driver.drive(target)
      scheduler.scheduleAt(210) { relay.accept(2) }
      scheduler.scheduleAt(220) { relay.accept(3) }
    }
    #expect(target.value == "8")
  }

  @Test func `observers of a driver share one subscription`() {
    let log = EventRecorder<String>()
    let subject = PublishSubject<Int>()
    let driver = subject.do(onSubscribe: { log.append("subscribed") }).asDriver(
      onErrorJustReturn: 0
    )
    let bag = DisposeBag()
    driver.drive(onNext: { _ in }).disposed(by: bag)
    driver.drive(onNext: { _ in }).disposed(by: bag)
    #expect(log.events == ["subscribed"])
  }

  @Test func `SharingScheduler.mock replaces the main scheduler of a driver`() {
    let scheduler = TestScheduler(initialClock: 0)
    SharingScheduler.mock(scheduler: scheduler) {
      let source = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
      let observer = scheduler.start { source.asDriver(onErrorJustReturn: 9) }
      #expect(observer.events == [.next(211, 1), .next(221, 9), .completed(221)])
      #expect(source.subscriptions == [Subscription(200, 220)])
    }
  }

  @Test func `asDriver of relays, signals and infallibles delivers on the scheduler`() {
    let events = mocked { scheduler in
      let relays = (PublishRelay<String>(), BehaviorRelay(value: "behavior"))
      scheduler.scheduleAt(210) { relays.0.accept("publish") }
      return Driver.merge(
        relays.0.asDriver(), relays.1.asDriver(), Signal.just("signal").asDriver(),
        Infallible.just("infallible").asDriver(), Driver.just("driver").asDriver())
    }
    #expect(
      events == [
        .next(201, "behavior"), .next(201, "infallible"), .next(201, "driver"),
        .next(202, "signal"), .next(211, "publish"),
      ])
  }

  @Test func `asDriver of a failing relay reports the error and completes`() {
    var events: [Recorded<Event<Int>>] = []
    let errors = reported { events = mocked { _ in FailingRelay().asDriver() } }
    #expect(events == [.completed(201)])
    #expect(errors == ["relay"])
  }

  @Test func `a driver drives closures, observers and relays`() {
    let log = EventRecorder<String>()
    let (one, other) = (PublishRelay<Int>(), BehaviorRelay(value: 0))
    let optional = BehaviorRelay<Int?>(value: nil)
    let (subject, optionals) = (PublishSubject<Int>(), PublishSubject<Int?>())
    let bag = DisposeBag()
    one.record(in: log, "one ").disposed(by: bag)
    subject.record(in: log, "subject ").disposed(by: bag)
    optionals.map { "\($0 ?? 0)" }.record(in: log, "optionals ").disposed(by: bag)
    inMockedTime { scheduler in
      let driver = scheduler.createHotObservable([.next(210, 1), .completed(220)]).asDriver(
        onErrorJustReturn: 0)
      _ = driver.drive(one)
      _ = driver.drive(other, BehaviorRelay(value: 0))
      _ = driver.drive(optional)
      _ = driver.drive(subject)
      _ = driver.drive(optionals)
      _ = driver.drive()
      _ = driver.drive(
        onNext: { log.append("closure \($0)") }, onCompleted: { log.append("closure |") },
        onDisposed: { log.append("closure disposed") })
    }
    #expect(other.value == 1)
    #expect(optional.value == 1)
    #expect(
      log.events == [
        "one 1", "subject 1", "optionals 1", "closure 1", "subject |", "optionals |", "closure |",
        "closure disposed",
      ])
  }

  @Test func `drive passes the observable to a function`() {
    let driver = Driver.just(1)
    #expect(driver.drive { $0 === driver.asObservable() })
    #expect(driver.drive({ source in { source === $0 } }, curriedArgument: driver.asObservable()))
  }

  @Test func `drive(with:) holds its object weakly and calls nothing after its release`() {
    let log = EventRecorder<String>()
    var token: Token? = Token()
    weak let seen = token
    inMockedTime { scheduler in
      let driver = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        .asDriver(onErrorJustReturn: 0)
      _ = driver.drive(
        with: token ?? Token(), onNext: { log.append("\(type(of: $0)) \($1)") },
        onCompleted: { _ in log.append("|") }, onDisposed: { _ in log.append("disposed") })
      scheduler.scheduleAt(215) {
        token = nil
        #expect(seen == nil)
      }
    }
    #expect(log.events == ["Token 1"])
  }

  @Test func `an ended driver subscription releases its closures`() {
    let subject = PublishSubject<Int>()
    var subscription: (any Disposable)?
    let isReleased = isReleased { token in
      inMockedTime { scheduler in
        let driver = subject.do(onNext: { _ in token.hold() }).asDriver(onErrorJustReturn: 0)
        subscription = driver.drive(
          onNext: { _ in token.hold() }, onCompleted: { token.hold() },
          onDisposed: { token.hold() })
        subject.onNext(1)
        subject.onCompleted()
      }
    }
    #expect(isReleased)
    #expect((subscription as? any Cancelable)?.isDisposed == true)
  }

  @Test func `drive on another thread subscribes and delivers on the main thread`() async {
    let log = EventRecorder<String>()
    let (driver, ended) = (Driver.just(1), Latch())
    onAnotherThread {
      _ = driver.drive(
        onNext: { _ in
          MainActor.assertIsolated()
          log.append("next")
        }, onCompleted: { log.append("completed") }, onDisposed: { ended.open() })
      log.append("driven")
    }
    await ended.opened()
    #expect(log.events == ["driven", "next", "completed"])
  }

  @Test func `a driver that is disposed of on main after a send off main delivers nothing`() async {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<Int>()
    let driver = subject.asDriver(onErrorJustReturn: 0)
    let subscriptions = [
      driver.drive(onNext: { log.append($0) }), driver.drive(onNext: { log.append($0) }),
    ]
    onAnotherThread { subject.onNext(1) }
    for subscription in subscriptions { subscription.dispose() }
    let turn = Latch()
    DispatchQueue.main.async { turn.open() }
    await turn.opened()
    #expect(log.events == [])
  }

  @Test func `drive on another thread does not subscribe after an early disposal`() async {
    let log = EventRecorder<String>()
    let (driver, disposed) = (Driver.just(1), Latch(2))
    onAnotherThread {
      let subscription = driver.drive(
        onNext: { _ in log.append("next") },
        onDisposed: {
          MainActor.assertIsolated()
          disposed.open()
        })
      subscription.dispose()
      let other = driver.drive(
        with: disposed,
        onDisposed: {
          MainActor.assertIsolated()
          $0.open()
        })
      other.dispose()
    }
    await disposed.opened()
    #expect(log.events == [])
  }

  @Test func `Driver.values delivers all elements`() async {
    let driver = Observable.of(1, 2).asDriver(onErrorJustReturn: 0)
    var elements: [Int] = []
    for await element in driver.values { elements.append(element) }
    #expect(elements == [1, 2])
  }
}

/// A relay that fails, in violation of its protocol.
private struct FailingRelay: RelayType {
  typealias Element = Int

  func accept(_ element: Int) {}

  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Int {
    Observable.error(UnhandledError(name: "relay")).subscribe(observer)
  }
}
