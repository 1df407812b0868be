// 6: compiles

import Foundation
import Reactive

// Chains of ten operators, whose closures have inferred types, are type-checked in less than a second:
// the compiler is told to warn otherwise.

struct Order: Sendable {
  var city: String
  var total: Double
}

func totals(
  _ texts: Observable<String>,
  _ find: @escaping @Sendable (String) -> Observable<[Order]>
) -> Observable<[String: Double]> {
  texts
    .map { $0.trimmingCharacters(in: .whitespaces) }
    .filter { !$0.isEmpty }
    .distinctUntilChanged()
    .debounce(.milliseconds(300), scheduler: MainScheduler.instance)
    .flatMapLatest { text in find(text).catchAndReturn([]) }
    .map { orders in orders.filter { $0.total > 10 } }
    .scan([:]) { sums, orders in
      orders.reduce(into: sums) { $0[$1.city, default: 0] += $1.total }
    }
    .startWith([:])
    .skip(1)
    .take(while: { $0.count < 100 })
}

func lines(
  _ first: Observable<Int>, _ second: Observable<Int>, _ texts: Observable<String>
) -> Observable<String> {
  Observable.combineLatest(first.map { $0 * 2 }, second.filter { $0 > 0 }, texts.map { $0.count })
    .map { $0 + $1 + $2 }
    .withLatestFrom(texts) { "\($0) \($1)" }
    .do(onNext: { print($0) })
    .buffer(timeSpan: .seconds(1), count: 10, scheduler: MainScheduler.instance)
    .filter { !$0.isEmpty }
    .concatMap { Observable.from($0) }
    .retry(3)
    .timeout(.seconds(5), scheduler: MainScheduler.instance)
    .materialize()
    .map { "\($0)" }
}

func sums(_ numbers: Observable<Int>) -> Observable<Int> {
  numbers.map { $0 + 1 }.map { $0 * 2 }.filter { $0 % 3 == 0 }.map { $0 - 1 }.map { $0 / 2 }
    .flatMap { Observable.of($0, $0 + 1) }.map { $0 + 1 }.filter { $0 > 0 }.map { $0 * $0 }
    .scan(0, accumulator: +)
}

func labels(_ numbers: Observable<Int>) -> Observable<String> {
  numbers.enumerated().map { $0.element + $0.index * 2 }.scan(0) { $0 + $1 }.filter { $0 > 0 }
    .distinctUntilChanged().skip(1).startWith(0).map { "\($0) €" }.take(10).share()
}
