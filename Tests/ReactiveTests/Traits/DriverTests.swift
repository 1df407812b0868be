import Foundation
import Reactive
import ReactiveTesting
import Testing

// The scheduler of drivers is global: one test at a time replaces it.
@MainActor
@Suite(.serialized) struct DriverTests {
  @Test func `delivers on main and replays the last element`() {
    let relay = BehaviorRelay(value: 1)
    let driver = relay.asDriver()
    let log = Log<String>()
    let bag = DisposeBag()
    driver.drive(onNext: { log.append("a\($0)") }).disposed(by: bag)
    relay.accept(2)
    driver.drive(onNext: { log.append("b\($0)") }).disposed(by: bag)
    #expect(log.entries == ["a1", "a2", "b2"])
  }

  @Test func `what is sent elsewhere arrives on main`() async {
    let subject = PublishSubject<Int>()
    let arrived = Latch()
    let log = Log<Bool>()
    let subscription = subject.asDriver(onErrorJustReturn: 0).drive(onNext: { _ in
      MainActor.assertIsolated()
      log.append(MainScheduler.isCurrent)
      arrived.open()
    })
    DispatchQueue.global().async { subject.onNext(1) }
    await arrived.opened()
    #expect(log.entries == [true])
    subscription.dispose()
  }

  @Test func `an error becomes an element, a driver or what a closure makes`() {
    let log = Log<String>()
    let failing = Observable<Int>.error(TestError.any)
    _ = failing.asDriver(onErrorJustReturn: 7).drive(
      onNext: { log.append("\($0)") },
      onCompleted: { log.append("|") }
    )
    _ = failing.asDriver(onErrorDriveWith: Observable.just(8).asDriver(onErrorJustReturn: 0))
      .drive(onNext: { log.append("\($0)") })
    _ = failing.asDriver(onErrorRecover: { _ in Observable.just(9).asDriver(onErrorJustReturn: 0) })
      .drive(onNext: { log.append("\($0)") })
    #expect(log.entries == ["7", "|", "8", "9"])
  }

  @Test func `operators keep it a driver`() {
    let relay = BehaviorRelay(value: 1)
    let target = BehaviorRelay(value: "")
    let driver: Driver<String> = relay.asDriver()
      .map { $0 * 2 }.filter { $0 != 4 }.compactMap { $0 }.distinctUntilChanged()
      .scan(0) { $0 + $1 }.startWith(0).skip(1).map { "\($0)" }
    let subscription = driver.drive(target)
    relay.accept(2)
    relay.accept(3)
    #expect(target.value == "8")
    subscription.dispose()
  }

  @Test func `one subscription for all`() {
    let log = Log<String>()
    let subject = PublishSubject<Int>()
    let driver = subject.do(onSubscribe: { log.append("subscribed") }).asDriver(
      onErrorJustReturn: 0
    )
    let bag = DisposeBag()
    driver.drive(onNext: { _ in }).disposed(by: bag)
    driver.drive(onNext: { _ in }).disposed(by: bag)
    #expect(log.entries == ["subscribed"])
  }

  @Test func `a test's scheduler stands in for main`() {
    let scheduler = TestScheduler(initialClock: 0)
    SharingScheduler.mock(scheduler: scheduler) {
      let source = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
      let observer = scheduler.start { source.asDriver(onErrorJustReturn: 9) }
      #expect(observer.events == [.next(211, 1), .next(221, 9), .completed(221)])
      #expect(source.subscriptions == [Subscription(200, 220)])
    }
  }

  @Test func `values of a driver`() async {
    let driver = Observable.of(1, 2).asDriver(onErrorJustReturn: 0)
    var elements: [Int] = []
    for await element in driver.values { elements.append(element) }
    #expect(elements == [1, 2])
  }
}

@MainActor
@Suite struct BinderTests {
  @Test func `hands elements over on main at once and holds its target weakly`() {
    final class Target { var value = 0 }
    var target: Target? = Target()
    let log = Log<Int>()
    let binder = Binder(target ?? Target()) { target, value in
      target.value = value
      log.append(value)
    }
    let subject = PublishSubject<Int>()
    let subscription = subject.bind(to: binder)
    subject.onNext(1)
    #expect(target?.value == 1)
    target = nil
    subject.onNext(2)
    #expect(log.entries == [1])
    subscription.dispose()
  }

  @Test func `what arrives elsewhere is handed over on main`() async {
    final class Target: Sendable {}
    let target = Target()
    let done = Latch()
    let log = Log<Bool>()
    let subject = PublishSubject<Int>()
    let subscription = subject.bind(
      to: Binder(target) { _, _ in
        log.append(MainScheduler.isCurrent)
        done.open()
      }
    )
    DispatchQueue.global().async { subject.onNext(1) }
    await done.opened()
    #expect(log.entries == [true])
    subscription.dispose()
  }
}
