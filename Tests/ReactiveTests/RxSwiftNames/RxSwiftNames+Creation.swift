import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test func `observables are created under RxSwift's names`() {
    let _: Observable<Int> = Observable<Int>.just(1)
    let _: Observable<Int> = Observable<Int>.just(1, scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.of(1, 2, scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.from([1, 2], scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.from(Set([1, 2]), scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.from(optional: 1)
    let _: Observable<Int> = Observable<Int>.from(optional: 1, scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.empty()
    let _: Observable<Int> = Observable<Int>.never()
    let _: Observable<Int> = Observable<Int>.error(TestError.any)
    let _: Observable<Int> = Observable<Int>.create({ _ in Disposables.create() })
    let _: Observable<Int> = Observable<Int>.create(
      detached: true, priority: .high, work: { observer in observer(1) })
    let _: Observable<Int> = Observable<Int>.deferred({ .just(1) })
    let _: Observable<Int> = Observable<Int>.range(start: 1, count: 2, scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.repeatElement(1, scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.generate(
      initialState: 1, condition: { $0 < 9 }, scheduler: scheduler, iterate: { $0 + 1 })
    let _: Observable<Int> = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.timer(
      .seconds(1), period: .seconds(1), scheduler: scheduler)
    let _: Observable<Int> = Observable<Int>.using(
      { BooleanDisposable() }, observableFactory: { _ in .just(1) })
  }

  @Test func `infallibles are created under RxSwift's names`() {
    let _: Infallible<Int> = Infallible<Int>.just(1)
    let _: Infallible<Int> = Infallible<Int>.just(1, scheduler: scheduler)
    let _: Infallible<Int> = Infallible<Int>.of(1, 2)
    let _: Infallible<Int> = Infallible<Int>.of(1, 2, scheduler: scheduler)
    let _: Infallible<Int> = Infallible<Int>.from([1, 2])
    let _: Infallible<Int> = Infallible<Int>.from([1, 2], scheduler: scheduler)
    let _: Infallible<Int> = Infallible<Int>.from(Set([1, 2]))
    let _: Infallible<Int> = Infallible<Int>.from(Set([1, 2]), scheduler: scheduler)
    let _: Infallible<Int> = Infallible<Int>.empty()
    let _: Infallible<Int> = Infallible<Int>.never()
    let _: Infallible<Int> = Infallible<Int>.create(subscribe: { observer in
      observer(.next(1))
      observer(.completed)
      return Disposables.create()
    })
    let _: Infallible<Int> = Infallible<Int>.deferred({ .just(1) })
    let _: Infallible<Int> = Infallible<Int>.from(optional: 1)
    let _: Infallible<Int> = Infallible<Int>.interval(.seconds(1))
    let _: Infallible<Int> = Infallible<Int>.timer(.seconds(1), period: .seconds(1))
  }

  @Test func `drivers and signals are created under RxSwift's names`() {
    let _: Driver<Int> = Driver<Int>.just(1)
    let _: Driver<Int> = Driver<Int>.of(1, 2)
    let _: Driver<Int> = Driver<Int>.from([1, 2])
    let _: Driver<Int> = Driver<Int>.from(Set([1, 2]))
    let _: Driver<Int> = Driver<Int>.from(optional: 1)
    let _: Driver<Int> = Driver<Int>.empty()
    let _: Driver<Int> = Driver<Int>.never()
    let _: Driver<Int> = Driver<Int>.deferred({ .just(1) })
    let _: Driver<Int> = Driver<Int>.interval(.seconds(1))
    let _: Driver<Int> = Driver<Int>.timer(.seconds(1), period: .seconds(1))
    let _: Signal<Int> = Signal<Int>.just(1)
    let _: Signal<Int> = Signal<Int>.of(1, 2)
    let _: Signal<Int> = Signal<Int>.from([1, 2])
    let _: Signal<Int> = Signal<Int>.from(Set([1, 2]))
    let _: Signal<Int> = Signal<Int>.from(optional: 1)
    let _: Signal<Int> = Signal<Int>.empty()
    let _: Signal<Int> = Signal<Int>.never()
    let _: Signal<Int> = Signal<Int>.deferred({ .just(1) })
    let _: Signal<Int> = Signal<Int>.interval(.seconds(1))
    let _: Signal<Int> = Signal<Int>.timer(.seconds(1), period: .seconds(1))
  }

  @Test func `singles, maybes and completables are created under RxSwift's names`() {
    let _: Single<Int> = Single<Int>.just(1)
    let _: Single<Int> = Single<Int>.just(1, scheduler: scheduler)
    let _: Single<Int> = Single<Int>.never()
    let _: Single<Int> = Single<Int>.error(TestError.any)
    let _: Single<Int> = Single<Int>.create(subscribe: { observer in
      observer(.success(1))
      observer(.failure(TestError.any))
      return Disposables.create()
    })
    let _: Single<Int> = Single<Int>.create(detached: true, priority: .high, work: { 1 })
    let _: Single<Int> = Single<Int>.deferred({ .just(1) })
    let _: Single<Int> = Single<Int>.timer(.seconds(1), scheduler: scheduler)
    let _: Single<Int> = Single<Int>.using(
      { BooleanDisposable() }, primitiveSequenceFactory: { _ in .just(1) })

    let _: Maybe<Int> = Maybe<Int>.just(1)
    let _: Maybe<Int> = Maybe<Int>.just(1, scheduler: scheduler)
    let _: Maybe<Int> = Maybe<Int>.empty()
    let _: Maybe<Int> = Maybe<Int>.never()
    let _: Maybe<Int> = Maybe<Int>.error(TestError.any)
    let _: Maybe<Int> = Maybe<Int>.create(subscribe: { observer in
      observer(.success(1))
      observer(.error(TestError.any))
      observer(.completed)
      return Disposables.create()
    })
    let _: Maybe<Int> = Maybe<Int>.deferred({ .just(1) })
    let _: Maybe<Int> = Maybe<Int>.timer(.seconds(1), scheduler: scheduler)
    let _: Maybe<Int> = Maybe<Int>.using(
      { BooleanDisposable() }, primitiveSequenceFactory: { _ in .just(1) })

    let _: Completable = Completable.empty()
    let _: Completable = Completable.never()
    let _: Completable = Completable.error(TestError.any)
    let _: Completable = Completable.create(subscribe: { observer in
      observer(.error(TestError.any))
      observer(.completed)
      return Disposables.create()
    })
    let _: Completable = Completable.deferred({ .empty() })
    let _: Completable = Completable.using(
      { BooleanDisposable() }, primitiveSequenceFactory: { _ in .empty() })
  }
}
