import Reactive
import ReactiveTesting
import TestSupport
import Testing

// Only in Swift 6 mode, or with the upcoming feature InferSendableFromCaptures, does the compiler see
// that these are Sendable.
@Suite(.workerPool) struct OperatorFunctionTests {
  @Test func `operators as functions`() throws {
    #expect(try Observable.of(1, 2).scan(0, accumulator: +).toBlocking().toArray() == [1, 3])
    #expect(try Observable.of(1, 2, 3).reduce(1, accumulator: *).toBlocking().single() == 6)
    #expect(try Observable.of(true, false).map(!).toBlocking().toArray() == [false, true])
    #expect(try Observable.of(2, 2).distinctUntilChanged(==).toBlocking().toArray() == [2])
    let (a, b) = (Observable.just(1), Observable.just(2))
    #expect(try Observable.zip(a, b, resultSelector: +).toBlocking().single() == 3)
    #expect(try Observable.combineLatest(a, b, resultSelector: <).toBlocking().single())
    #expect(try a.withLatestFrom(b, resultSelector: -).toBlocking().single() == -1)
  }
}
