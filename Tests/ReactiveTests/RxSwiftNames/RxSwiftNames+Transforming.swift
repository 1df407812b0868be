import Foundation
import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test func `observables are transformed under RxSwift's names`() {
    let _: Observable<String> = observable.map({ "\($0)" })
    let _: Observable<String> = observable.compactMap({ "\($0)" })
    let _: Observable<String> = observable.flatMap({ Observable.just("\($0)") })
    let _: Observable<String> = observable.flatMapLatest({ Observable.just("\($0)") })
    let _: Observable<String> = observable.flatMapFirst({ Observable.just("\($0)") })
    let _: Observable<String> = observable.concatMap({ Observable.just("\($0)") })
    let _: Observable<String> = observable.scan("", accumulator: { $0 + "\($1)" })
    let _: Observable<String> = observable.scan(into: "", accumulator: { $0 += "\($1)" })
    let _: Observable<String> = observable.reduce("", accumulator: { $0 + "\($1)" })
    let _: Observable<String> = observable.reduce(
      0, accumulator: { $0 + $1 }, mapResult: { "\($0)" })
    let _: Single<[Int]> = observable.toArray()
    let _: Observable<[Int]> = observable.buffer(
      timeSpan: .seconds(1), count: 2, scheduler: scheduler)
    let _: Observable<Observable<Int>> = observable.window(
      timeSpan: .seconds(1), count: 2, scheduler: scheduler)
    let _: Observable<GroupedObservable<Int, Int>> = observable.groupBy(keySelector: { $0 % 2 })
    let _: Observable<(index: Int, element: Int)> = observable.enumerated()
    let _: Observable<Event<Int>> = observable.materialize()
    let _: Observable<Int> = observableOfEvents.dematerialize()
    let _: Observable<Int> = observableOfData.decode(type: Int.self, decoder: JSONDecoder())
    let _: Observable<(Token, Int)> = observable.withUnretained(token)
    let _: Observable<Int> = observable.withUnretained(
      token, resultSelector: { _, element in element })
  }

  @Test func `infallibles are transformed under RxSwift's names`() {
    let _: Infallible<String> = infallible.map({ "\($0)" })
    let _: Infallible<String> = infallible.compactMap({ "\($0)" })
    let _: Infallible<String> = infallible.flatMap({ Infallible.just("\($0)") })
    let _: Infallible<String> = infallible.flatMapLatest({ Infallible.just("\($0)") })
    let _: Infallible<String> = infallible.flatMapFirst({ Infallible.just("\($0)") })
    let _: Infallible<String> = infallible.concatMap({ Infallible.just("\($0)") })
    let _: Infallible<String> = infallible.scan("", accumulator: { $0 + "\($1)" })
    let _: Infallible<String> = infallible.scan(into: "", accumulator: { $0 += "\($1)" })
    let _: Infallible<(Token, Int)> = infallible.withUnretained(token)
    let _: Infallible<Int> = infallible.withUnretained(
      token, resultSelector: { _, element in element })
  }

  @Test func `drivers and signals are transformed under RxSwift's names`() {
    let _: Driver<String> = driver.map({ "\($0)" })
    let _: Driver<String> = driver.compactMap({ "\($0)" })
    let _: Driver<String> = driver.flatMap({ Driver.just("\($0)") })
    let _: Driver<String> = driver.flatMapLatest({ Driver.just("\($0)") })
    let _: Driver<String> = driver.flatMapFirst({ Driver.just("\($0)") })
    let _: Driver<String> = driver.concatMap({ Driver.just("\($0)") })
    let _: Driver<String> = driver.scan(into: "", accumulator: { $0 += "\($1)" })
    let _: Driver<String> = driver.scan("", accumulator: { $0 + "\($1)" })
    let _: Driver<(Token, Int)> = driver.withUnretained(token)
    let _: Driver<Int> = driver.withUnretained(token, resultSelector: { _, element in element })
    let _: Signal<String> = signal.map({ "\($0)" })
    let _: Signal<String> = signal.compactMap({ "\($0)" })
    let _: Signal<String> = signal.flatMap({ Signal.just("\($0)") })
    let _: Signal<String> = signal.flatMapLatest({ Signal.just("\($0)") })
    let _: Signal<String> = signal.flatMapFirst({ Signal.just("\($0)") })
    let _: Signal<String> = signal.concatMap({ Signal.just("\($0)") })
    let _: Signal<String> = signal.scan(into: "", accumulator: { $0 += "\($1)" })
    let _: Signal<String> = signal.scan("", accumulator: { $0 + "\($1)" })
    let _: Signal<(Token, Int)> = signal.withUnretained(token)
    let _: Signal<Int> = signal.withUnretained(token, resultSelector: { _, element in element })
  }

  @Test func `singles and maybes are transformed under RxSwift's names`() {
    let _: Single<String> = single.map({ "\($0)" })
    let _: Maybe<String> = single.compactMap({ "\($0)" })
    let _: Single<String> = single.flatMap({ Single.just("\($0)") })
    let _: Maybe<String> = single.flatMapMaybe({ Maybe.just("\($0)") })
    let _: Completable = single.flatMapCompletable({ _ in Completable.empty() })
    let _: Maybe<String> = maybe.map({ "\($0)" })
    let _: Maybe<String> = maybe.compactMap({ "\($0)" })
    let _: Maybe<String> = maybe.flatMap({ Maybe.just("\($0)") })
  }
}
