import Foundation
import Reactive

/// Reads a number.
private struct Digits: DataDecoder {
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item {
    guard let item = Int(String(decoding: data, as: UTF8.self)) as? Item else {
      throw TestError.any
    }
    return item
  }
}

/// The object that `withUnretained` holds weakly.
let unretained = Token()

extension Table {
  mutating func addOneSource() {
    // Transforming
    one("map(_:)", "2 3 4 |") { $0.map { $0 + 1 } }
    one("compactMap(_:)", "1 3 |") { $0.compactMap { $0 == 2 ? nil : $0 } }
    one("scan(_:accumulator:)", "1 3 6 |") { $0.scan(0) { $0 + $1 } }
    one("scan(into:accumulator:)", "1 3 6 |") { $0.scan(into: 0) { $0 += $1 } }
    one("startWith(_:)", "8 9 1 2 3 |") { $0.startWith(8, 9) }

    one("enumerated()", "1 12 23 |") { $0.enumerated().map { 10 * $0.index + $0.element } }
    one("materialize()", "1 2 3 9 |", .handlesErrors) { $0.materialize().map { $0.element ?? 9 } }
    one("dematerialize()", "1 2 3 |") { $0.materialize().dematerialize() }
    one("dematerialize()", "1 |") {
      $0.map { $0 == 1 ? Event.next(1) : .completed }.dematerialize()
    }
    one("decode(type:decoder:)", "1 2 3 |") {
      $0.map { Data("\($0)".utf8) }.decode(type: Int.self, decoder: Digits())
    }
    one("withUnretained(_:)", "1 2 3 |") { $0.withUnretained(unretained).map { $0.1 } }
    one("withUnretained(_:resultSelector:)", "1 2 3 |") { $0.withUnretained(unretained) { $0.1 } }

    // Aggregating
    one("reduce(_:accumulator:)", "6 |") { $0.reduce(0) { $0 + $1 } }
    one("reduce(_:accumulator:mapResult:)", "-6 |") {
      $0.reduce(0, accumulator: { $0 + $1 }, mapResult: { -$0 })
    }
    one("toArray()", "6 |", .keepsElements) { $0.toArray().map { $0.reduce(0, +) }.asObservable() }

    // Filtering
    one("filter(_:)", "2 3 |") { $0.filter { $0 > 1 } }
    one("take(_:)", "1 2 |") { $0.take(2) }
    one("take(_:)", "1 2 3 |") { $0.take(.max) }
    one("take(_:)", "|") { $0.take(0) }
    one("take(while:behavior:)", "1 2 |") { $0.take(while: { $0 < 3 }) }
    one("take(while:behavior:)", "1 2 |") { $0.take(while: { $0 < 2 }, behavior: .inclusive) }
    one("take(until:behavior:)", "1 2 |") { $0.take(until: { $0 == 3 }) }
    one("take(until:behavior:)", "1 2 |") { $0.take(until: { $0 == 2 }, behavior: .inclusive) }
    one("takeLast(_:)", "2 3 |", .keepsElements) { $0.takeLast(2) }
    one("takeLast(_:)", "|", .keepsElements) { $0.takeLast(0) }
    one("takeLast(_:)", "1 2 3 |", .keepsElements) { $0.takeLast(.max) }
    one("skip(_:)", "3 |") { $0.skip(2) }
    one("skip(_:)", "1 2 3 |") { $0.skip(.min) }
    one("skip(_:)", "|") { $0.skip(.max) }
    one("distinctUntilChanged()", "1 2 3 |") { $0.distinctUntilChanged() }
    one("distinctUntilChanged(_:)", "1 2 |") { $0.distinctUntilChanged { $0 / 2 } }
    one("distinctUntilChanged(_:)", "1 |") { $0.distinctUntilChanged { _, _ in true } }
    one("distinctUntilChanged(_:comparer:)", "1 2 3 |") {
      $0.distinctUntilChanged({ -$0 }, comparer: { $0 == $1 })
    }
    one("distinctUntilChanged(at:)", "1 2 |") { $0.distinctUntilChanged(at: \.leadingZeroBitCount) }

    one("skip(while:)", "2 3 |") { $0.skip(while: { $0 < 2 }) }
    one("element(at:)", "2 |") { $0.element(at: 1) }
    one("first()", "1 |") { $0.first().map { $0 ?? 0 }.asObservable() }
    one("single()", "1 |") { $0.take(1).single() }
    one("single(_:)", "2 |") { $0.single { $0 == 2 } }
    one("ignoreElements()", "|") { none($0.ignoreElements()) }
    one("groupBy(keySelector:)", "1 2 3 |", .keepsElements) { $0.groupBy { $0 % 2 }.merge() }
    one("ifEmpty(default:)", "1 2 3 |") { $0.ifEmpty(default: 7) }
    one("ifEmpty(default:)", "7 |") { $0.filter { _ in false }.ifEmpty(default: 7) }
    one("ifEmpty(switchTo:)", "1 2 3 |") { $0.ifEmpty(switchTo: .of(7, 8)) }
    one("ifEmpty(switchTo:)", "7 8 |") { $0.filter { _ in false }.ifEmpty(switchTo: .of(7, 8)) }

    // Side effects
    one(
      "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:"
        + "onDispose:)",
      "1 2 3 |"
    ) {
      $0.do(
        onNext: { _ in }, afterNext: { _ in }, onError: { _ in }, afterError: { _ in },
        onCompleted: {}, afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {})
    }

    // Recovering
    one("catch(_:)", "1 2 3 |", .handlesErrors) { $0.catch { _ in .of(7, 8) } }
    one("Observable.catch(sequence:)", "1 2 3 |", .handlesErrors) {
      .catch(sequence: [$0, .of(7, 8)])
    }
    one("catchAndReturn(_:)", "1 2 3 |", .handlesErrors) { $0.catchAndReturn(7) }
    one("retry()", "1 2 3 |", [.handlesErrors, .retriesForever]) { $0.retry() }
    one("retry(when:)", "1 2 3 |", [.handlesErrors, .retriesForever]) {
      $0.retry { (errors: Observable<any Error>) in errors }
    }
    one("retry(when:)", "1 2 3 |", .handlesErrors) {
      $0.retry { (errors: Observable<TestError>) in errors.take(2) }
    }
    one("retry(_:)", "1 2 3 |", .handlesErrors) { $0.retry(2) }
    one("retry(_:)", "1 2 3 |") { $0.retry(1) }
    one("retry(_:)", "|") { $0.retry(0) }
    one("retry(_:)", "1 2 3 |", [.handlesErrors, .retriesForever]) { $0.retry(.max) }
  }
}
