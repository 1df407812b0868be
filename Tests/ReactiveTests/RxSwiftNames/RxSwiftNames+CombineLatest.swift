import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test func `the latest of two to eight observables are combined under RxSwift's names`() {
    let _: Observable<(Int, Int)> = Observable.combineLatest(observable, observable)
    let _: Observable<Int> = Observable.combineLatest(
      observable, observable, resultSelector: { $0 + $1 })
    let _: Observable<(Int, Int, Int)> = Observable.combineLatest(
      observable, observable, observable)
    let _: Observable<Int> = Observable.combineLatest(
      observable, observable, observable, resultSelector: { $0 + $1 + $2 })
    let _: Observable<(Int, Int, Int, Int)> = Observable.combineLatest(
      observable, observable, observable, observable)
    let _: Observable<Int> = Observable.combineLatest(
      observable, observable, observable, observable, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Observable<(Int, Int, Int, Int, Int)> = Observable.combineLatest(
      observable, observable, observable, observable, observable)
    let _: Observable<Int> = Observable.combineLatest(
      observable, observable, observable, observable, observable,
      resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Observable<(Int, Int, Int, Int, Int, Int)> = Observable.combineLatest(
      observable, observable, observable, observable, observable, observable)
    let _: Observable<Int> = Observable.combineLatest(
      observable, observable, observable, observable, observable, observable,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Observable<(Int, Int, Int, Int, Int, Int, Int)> = Observable.combineLatest(
      observable, observable, observable, observable, observable, observable, observable)
    let _: Observable<Int> = Observable.combineLatest(
      observable, observable, observable, observable, observable, observable, observable,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Observable<(Int, Int, Int, Int, Int, Int, Int, Int)> = Observable.combineLatest(
      observable, observable, observable, observable, observable, observable, observable, observable
    )
    let _: Observable<Int> = Observable.combineLatest(
      observable, observable, observable, observable, observable, observable, observable,
      observable, resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Observable<[Int]> = Observable.combineLatest([observable])
    let _: Observable<Int> = Observable.combineLatest([observable], resultSelector: { $0.count })
  }

  @Test func `the latest of two to eight infallibles are combined under RxSwift's names`() {
    let _: Infallible<(Int, Int)> = Infallible.combineLatest(infallible, infallible)
    let _: Infallible<Int> = Infallible.combineLatest(
      infallible, infallible, resultSelector: { $0 + $1 })
    let _: Infallible<(Int, Int, Int)> = Infallible.combineLatest(
      infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.combineLatest(
      infallible, infallible, infallible, resultSelector: { $0 + $1 + $2 })
    let _: Infallible<(Int, Int, Int, Int)> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Infallible<(Int, Int, Int, Int, Int)> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, infallible,
      resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Infallible<(Int, Int, Int, Int, Int, Int)> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, infallible, infallible,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Infallible<(Int, Int, Int, Int, Int, Int, Int)> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, infallible, infallible, infallible)
    let _: Infallible<Int> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, infallible, infallible, infallible,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Infallible<(Int, Int, Int, Int, Int, Int, Int, Int)> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, infallible, infallible, infallible, infallible
    )
    let _: Infallible<Int> = Infallible.combineLatest(
      infallible, infallible, infallible, infallible, infallible, infallible, infallible,
      infallible, resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Infallible<[Int]> = Infallible.combineLatest([infallible])
    let _: Infallible<Int> = Infallible.combineLatest([infallible], resultSelector: { $0.count })
  }

  @Test func `the latest of two to eight drivers are combined under RxSwift's names`() {
    let _: Driver<(Int, Int)> = Driver.combineLatest(driver, driver)
    let _: Driver<Int> = Driver.combineLatest(driver, driver, resultSelector: { $0 + $1 })
    let _: Driver<(Int, Int, Int)> = Driver.combineLatest(driver, driver, driver)
    let _: Driver<Int> = Driver.combineLatest(
      driver, driver, driver, resultSelector: { $0 + $1 + $2 })
    let _: Driver<(Int, Int, Int, Int)> = Driver.combineLatest(driver, driver, driver, driver)
    let _: Driver<Int> = Driver.combineLatest(
      driver, driver, driver, driver, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Driver<(Int, Int, Int, Int, Int)> = Driver.combineLatest(
      driver, driver, driver, driver, driver)
    let _: Driver<Int> = Driver.combineLatest(
      driver, driver, driver, driver, driver, resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Driver<(Int, Int, Int, Int, Int, Int)> = Driver.combineLatest(
      driver, driver, driver, driver, driver, driver)
    let _: Driver<Int> = Driver.combineLatest(
      driver, driver, driver, driver, driver, driver,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Driver<(Int, Int, Int, Int, Int, Int, Int)> = Driver.combineLatest(
      driver, driver, driver, driver, driver, driver, driver)
    let _: Driver<Int> = Driver.combineLatest(
      driver, driver, driver, driver, driver, driver, driver,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Driver<(Int, Int, Int, Int, Int, Int, Int, Int)> = Driver.combineLatest(
      driver, driver, driver, driver, driver, driver, driver, driver)
    let _: Driver<Int> = Driver.combineLatest(
      driver, driver, driver, driver, driver, driver, driver, driver,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Driver<[Int]> = Driver.combineLatest([driver])
    let _: Driver<Int> = Driver.combineLatest([driver], resultSelector: { $0.count })
  }

  @Test func `the latest of two to eight signals are combined under RxSwift's names`() {
    let _: Signal<(Int, Int)> = Signal.combineLatest(signal, signal)
    let _: Signal<Int> = Signal.combineLatest(signal, signal, resultSelector: { $0 + $1 })
    let _: Signal<(Int, Int, Int)> = Signal.combineLatest(signal, signal, signal)
    let _: Signal<Int> = Signal.combineLatest(
      signal, signal, signal, resultSelector: { $0 + $1 + $2 })
    let _: Signal<(Int, Int, Int, Int)> = Signal.combineLatest(signal, signal, signal, signal)
    let _: Signal<Int> = Signal.combineLatest(
      signal, signal, signal, signal, resultSelector: { $0 + $1 + $2 + $3 })
    let _: Signal<(Int, Int, Int, Int, Int)> = Signal.combineLatest(
      signal, signal, signal, signal, signal)
    let _: Signal<Int> = Signal.combineLatest(
      signal, signal, signal, signal, signal, resultSelector: { $0 + $1 + $2 + $3 + $4 })
    let _: Signal<(Int, Int, Int, Int, Int, Int)> = Signal.combineLatest(
      signal, signal, signal, signal, signal, signal)
    let _: Signal<Int> = Signal.combineLatest(
      signal, signal, signal, signal, signal, signal,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 })
    let _: Signal<(Int, Int, Int, Int, Int, Int, Int)> = Signal.combineLatest(
      signal, signal, signal, signal, signal, signal, signal)
    let _: Signal<Int> = Signal.combineLatest(
      signal, signal, signal, signal, signal, signal, signal,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 })
    let _: Signal<(Int, Int, Int, Int, Int, Int, Int, Int)> = Signal.combineLatest(
      signal, signal, signal, signal, signal, signal, signal, signal)
    let _: Signal<Int> = Signal.combineLatest(
      signal, signal, signal, signal, signal, signal, signal, signal,
      resultSelector: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })
    let _: Signal<[Int]> = Signal.combineLatest([signal])
    let _: Signal<Int> = Signal.combineLatest([signal], resultSelector: { $0.count })
  }
}
