import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test func `two to eight observables are zipped under RxSwift's names`() {
    let _: Observable<(Int, Int)> = Observable.zip(observable, observable)
    let _: Observable<Int> = Observable.zip(observable, observable, resultSelector: { $0 + $1 })
    let _: Observable<(Int, Int, Int)> = Observable.zip(observable, observable, observable)
    let _: Observable<Int> = Observable.zip(
      observable, observable, observable, resultSelector: { $0 + $1 + $2 })
    let _: Observable<(Int, Int, Int, Int)> = Observable.zip(
      observable, observable, observable, observable)
    let _: Observable<Int> = Observable.zip(
      observable, observable, observable, observable, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Observable<(Int, Int, Int, Int, Int)> = Observable.zip(
      observable, observable, observable, observable, observable)
    let _: Observable<Int> = Observable.zip(
      observable, observable, observable, observable, observable,
      resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Observable<(Int, Int, Int, Int, Int, Int)> = Observable.zip(
      observable, observable, observable, observable, observable, observable)
    let _: Observable<Int> = Observable.zip(
      observable, observable, observable, observable, observable, observable,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Observable<(Int, Int, Int, Int, Int, Int, Int)> = Observable.zip(
      observable, observable, observable, observable, observable, observable, observable)
    let _: Observable<Int> = Observable.zip(
      observable, observable, observable, observable, observable, observable, observable,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Observable<(Int, Int, Int, Int, Int, Int, Int, Int)> = Observable.zip(
      observable, observable, observable, observable, observable, observable, observable, observable
    )
    let _: Observable<Int> = Observable.zip(
      observable, observable, observable, observable, observable, observable, observable,
      observable, resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Observable<[Int]> = Observable.zip([observable])
    let _: Observable<Int> = Observable.zip([observable], resultSelector: { $0.count })
  }

  @Test func `two to eight infallibles are zipped under RxSwift's names`() {
    let _: Infallible<(Int, Int)> = Infallible.zip(infallible, infallible)
    let _: Infallible<Int> = Infallible.zip(infallible, infallible, resultSelector: { $0 + $1 })
    let _: Infallible<(Int, Int, Int)> = Infallible.zip(infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.zip(
      infallible, infallible, infallible, resultSelector: { $0 + $1 + $2 })
    let _: Infallible<(Int, Int, Int, Int)> = Infallible.zip(
      infallible, infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.zip(
      infallible, infallible, infallible, infallible, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Infallible<(Int, Int, Int, Int, Int)> = Infallible.zip(
      infallible, infallible, infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.zip(
      infallible, infallible, infallible, infallible, infallible,
      resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Infallible<(Int, Int, Int, Int, Int, Int)> = Infallible.zip(
      infallible, infallible, infallible, infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.zip(
      infallible, infallible, infallible, infallible, infallible, infallible,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Infallible<(Int, Int, Int, Int, Int, Int, Int)> = Infallible.zip(
      infallible, infallible, infallible, infallible, infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.zip(
      infallible, infallible, infallible, infallible, infallible, infallible, infallible,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Infallible<(Int, Int, Int, Int, Int, Int, Int, Int)> = Infallible.zip(
      infallible, infallible, infallible, infallible, infallible, infallible, infallible, infallible
    )
    let _: Infallible<Int> = Infallible.zip(
      infallible, infallible, infallible, infallible, infallible, infallible, infallible,
      infallible, resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
  }

  @Test func `two to eight drivers are zipped under RxSwift's names`() {
    let _: Driver<(Int, Int)> = Driver.zip(driver, driver)
    let _: Driver<Int> = Driver.zip(driver, driver, resultSelector: { $0 + $1 })
    let _: Driver<(Int, Int, Int)> = Driver.zip(driver, driver, driver)
    let _: Driver<Int> = Driver.zip(driver, driver, driver, resultSelector: { $0 + $1 + $2 })
    let _: Driver<(Int, Int, Int, Int)> = Driver.zip(driver, driver, driver, driver)
    let _: Driver<Int> = Driver.zip(
      driver, driver, driver, driver, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Driver<(Int, Int, Int, Int, Int)> = Driver.zip(driver, driver, driver, driver, driver)
    let _: Driver<Int> = Driver.zip(
      driver, driver, driver, driver, driver, resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Driver<(Int, Int, Int, Int, Int, Int)> = Driver.zip(
      driver, driver, driver, driver, driver, driver)
    let _: Driver<Int> = Driver.zip(
      driver, driver, driver, driver, driver, driver,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Driver<(Int, Int, Int, Int, Int, Int, Int)> = Driver.zip(
      driver, driver, driver, driver, driver, driver, driver)
    let _: Driver<Int> = Driver.zip(
      driver, driver, driver, driver, driver, driver, driver,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Driver<(Int, Int, Int, Int, Int, Int, Int, Int)> = Driver.zip(
      driver, driver, driver, driver, driver, driver, driver, driver)
    let _: Driver<Int> = Driver.zip(
      driver, driver, driver, driver, driver, driver, driver, driver,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Driver<[Int]> = Driver.zip([driver])
    let _: Driver<Int> = Driver.zip([driver], resultSelector: { $0.count })
  }

  @Test func `two to eight signals are zipped under RxSwift's names`() {
    let _: Signal<(Int, Int)> = Signal.zip(signal, signal)
    let _: Signal<Int> = Signal.zip(signal, signal, resultSelector: { $0 + $1 })
    let _: Signal<(Int, Int, Int)> = Signal.zip(signal, signal, signal)
    let _: Signal<Int> = Signal.zip(signal, signal, signal, resultSelector: { $0 + $1 + $2 })
    let _: Signal<(Int, Int, Int, Int)> = Signal.zip(signal, signal, signal, signal)
    let _: Signal<Int> = Signal.zip(
      signal, signal, signal, signal, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Signal<(Int, Int, Int, Int, Int)> = Signal.zip(signal, signal, signal, signal, signal)
    let _: Signal<Int> = Signal.zip(
      signal, signal, signal, signal, signal, resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Signal<(Int, Int, Int, Int, Int, Int)> = Signal.zip(
      signal, signal, signal, signal, signal, signal)
    let _: Signal<Int> = Signal.zip(
      signal, signal, signal, signal, signal, signal,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Signal<(Int, Int, Int, Int, Int, Int, Int)> = Signal.zip(
      signal, signal, signal, signal, signal, signal, signal)
    let _: Signal<Int> = Signal.zip(
      signal, signal, signal, signal, signal, signal, signal,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Signal<(Int, Int, Int, Int, Int, Int, Int, Int)> = Signal.zip(
      signal, signal, signal, signal, signal, signal, signal, signal)
    let _: Signal<Int> = Signal.zip(
      signal, signal, signal, signal, signal, signal, signal, signal,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Signal<[Int]> = Signal.zip([signal])
    let _: Signal<Int> = Signal.zip([signal], resultSelector: { $0.count })
  }

  @Test func `two to eight singles are zipped under RxSwift's names`() {
    let _: Single<(Int, Int)> = Single.zip(single, single)
    let _: Single<Int> = Single.zip(single, single, resultSelector: { $0 + $1 })
    let _: Single<(Int, Int, Int)> = Single.zip(single, single, single)
    let _: Single<Int> = Single.zip(single, single, single, resultSelector: { $0 + $1 + $2 })
    let _: Single<(Int, Int, Int, Int)> = Single.zip(single, single, single, single)
    let _: Single<Int> = Single.zip(
      single, single, single, single, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Single<(Int, Int, Int, Int, Int)> = Single.zip(single, single, single, single, single)
    let _: Single<Int> = Single.zip(
      single, single, single, single, single, resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Single<(Int, Int, Int, Int, Int, Int)> = Single.zip(
      single, single, single, single, single, single)
    let _: Single<Int> = Single.zip(
      single, single, single, single, single, single,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Single<(Int, Int, Int, Int, Int, Int, Int)> = Single.zip(
      single, single, single, single, single, single, single)
    let _: Single<Int> = Single.zip(
      single, single, single, single, single, single, single,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Single<(Int, Int, Int, Int, Int, Int, Int, Int)> = Single.zip(
      single, single, single, single, single, single, single, single)
    let _: Single<Int> = Single.zip(
      single, single, single, single, single, single, single, single,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Single<[Int]> = Single.zip([single])
    let _: Single<Int> = Single.zip([single], resultSelector: { $0.count })
  }

  @Test func `two to eight maybes are zipped under RxSwift's names`() {
    let _: Maybe<(Int, Int)> = Maybe.zip(maybe, maybe)
    let _: Maybe<Int> = Maybe.zip(maybe, maybe, resultSelector: { $0 + $1 })
    let _: Maybe<(Int, Int, Int)> = Maybe.zip(maybe, maybe, maybe)
    let _: Maybe<Int> = Maybe.zip(maybe, maybe, maybe, resultSelector: { $0 + $1 + $2 })
    let _: Maybe<(Int, Int, Int, Int)> = Maybe.zip(maybe, maybe, maybe, maybe)
    let _: Maybe<Int> = Maybe.zip(maybe, maybe, maybe, maybe, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Maybe<(Int, Int, Int, Int, Int)> = Maybe.zip(maybe, maybe, maybe, maybe, maybe)
    let _: Maybe<Int> = Maybe.zip(
      maybe, maybe, maybe, maybe, maybe, resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Maybe<(Int, Int, Int, Int, Int, Int)> = Maybe.zip(
      maybe, maybe, maybe, maybe, maybe, maybe)
    let _: Maybe<Int> = Maybe.zip(
      maybe, maybe, maybe, maybe, maybe, maybe, resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Maybe<(Int, Int, Int, Int, Int, Int, Int)> = Maybe.zip(
      maybe, maybe, maybe, maybe, maybe, maybe, maybe)
    let _: Maybe<Int> = Maybe.zip(
      maybe, maybe, maybe, maybe, maybe, maybe, maybe,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Maybe<(Int, Int, Int, Int, Int, Int, Int, Int)> = Maybe.zip(
      maybe, maybe, maybe, maybe, maybe, maybe, maybe, maybe)
    let _: Maybe<Int> = Maybe.zip(
      maybe, maybe, maybe, maybe, maybe, maybe, maybe, maybe,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Maybe<[Int]> = Maybe.zip([maybe])
    let _: Maybe<Int> = Maybe.zip([maybe], resultSelector: { $0.count })
  }

  @Test func `completables are zipped under RxSwift's names`() {
    let _: Completable = Completable.zip(completable, completable)
    let _: Completable = Completable.zip([completable])
    let _: Completable = Completable.zip([completable].lazy.map({ $0 }))
  }
}
