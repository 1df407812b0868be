import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test func `operators of time have RxSwift's names`() {
    let _: Observable<Int> = observable.debounce(.seconds(1), scheduler: scheduler)
    let _: Observable<Int> = observable.throttle(.seconds(1), latest: true, scheduler: scheduler)
    let _: Observable<Int> = observable.delay(.seconds(1), scheduler: scheduler)
    let _: Observable<Int> = observable.delaySubscription(.seconds(1), scheduler: scheduler)
    let _: Observable<Int> = observable.timeout(.seconds(1), scheduler: scheduler)
    let _: Observable<Int> = observable.timeout(
      .seconds(1), other: observable, scheduler: scheduler)
    let _: Infallible<Int> = infallible.debounce(.seconds(1), scheduler: scheduler)
    let _: Infallible<Int> = infallible.throttle(.seconds(1), latest: true, scheduler: scheduler)
    let _: Infallible<Int> = infallible.delay(.seconds(1), scheduler: scheduler)
    let _: Infallible<Int> = infallible.debounce(.seconds(1))
    let _: Infallible<Int> = infallible.throttle(.seconds(1), latest: true)
    let _: Infallible<Int> = infallible.delay(.seconds(1))
    let _: Driver<Int> = driver.debounce(.seconds(1))
    let _: Driver<Int> = driver.throttle(.seconds(1), latest: true)
    let _: Driver<Int> = driver.delay(.seconds(1))
    let _: Signal<Int> = signal.debounce(.seconds(1))
    let _: Signal<Int> = signal.throttle(.seconds(1), latest: true)
    let _: Signal<Int> = signal.delay(.seconds(1))
    let _: Single<Int> = single.delay(.seconds(1), scheduler: scheduler)
    let _: Single<Int> = single.delaySubscription(.seconds(1), scheduler: scheduler)
    let _: Single<Int> = single.timeout(.seconds(1), scheduler: scheduler)
    let _: Single<Int> = single.timeout(.seconds(1), other: single, scheduler: scheduler)
    let _: Maybe<Int> = maybe.delay(.seconds(1), scheduler: scheduler)
    let _: Maybe<Int> = maybe.delaySubscription(.seconds(1), scheduler: scheduler)
    let _: Maybe<Int> = maybe.timeout(.seconds(1), scheduler: scheduler)
    let _: Maybe<Int> = maybe.timeout(.seconds(1), other: maybe, scheduler: scheduler)
    let _: Completable = completable.delay(.seconds(1), scheduler: scheduler)
    let _: Completable = completable.delaySubscription(.seconds(1), scheduler: scheduler)
    let _: Completable = completable.timeout(.seconds(1), scheduler: scheduler)
    let _: Completable = completable.timeout(
      .seconds(1), other: completable, scheduler: scheduler)
  }

  @Test func `operators that share have RxSwift's names`() {
    let connectable: ConnectableObservable<Int> = observable.publish()
    let _: ConnectableObservable<Int> = observable.replay(1)
    let _: ConnectableObservable<Int> = observable.replayAll()
    let _: ConnectableObservable<Int> = observable.multicast(PublishSubject())
    let _: ConnectableObservable<Int> = observable.multicast(
      makeSubject: { ReplaySubject.create(bufferSize: 1) })
    let _: Observable<String> = observable.multicast(
      { PublishSubject() }, selector: { $0.map { "\($0)" } })
    let _: Observable<Int> = observable.share(replay: 1, scope: .forever)
    let _: Infallible<Int> = infallible.share(replay: 1, scope: .whileConnected)
    let _: any Disposable = connectable.connect()
    let _: Observable<Int> = connectable.refCount()
  }
}
