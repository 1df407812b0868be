import Reactive
import ReactiveTesting
import Testing

@Suite struct SingleTests {
  let scheduler = TestScheduler(initialClock: 0)

  private func written<Element: Sendable>(_ single: Single<Element>) -> String {
    let log = Log<String>()
    _ = single.subscribe(
      onSuccess: { log.append("\($0)") },
      onFailure: { _ in log.append("x") },
      onDisposed: { log.append("disposed") }
    )
    return log.entries.joined(separator: " ")
  }

  @Test func `one element or an error`() {
    #expect(written(Single.just(1)) == "1 disposed")
    #expect(written(Single<Int>.error(TestError.any)) == "x disposed")
    #expect(written(Single<Int>.never()) == "")
    #expect(written(Single<Int>.deferred { throw TestError.any }) == "x disposed")
    #expect(written(Single.just(1).map { $0 + 1 }) == "2 disposed")
    #expect(written(Single.just(1).map { _ -> Int in throw TestError.any }) == "x disposed")
    #expect(written(Single.just(1).flatMap { .just($0 * 10) }) == "10 disposed")
    #expect(written(Single<Int>.error(TestError.any).catch { _ in .just(3) }) == "3 disposed")
  }

  @Test func `the first call of a created one is its end`() {
    #expect(
      written(
        Single<Int>.create { observer in
          observer(.success(1))
          observer(.success(2))
          observer(.failure(TestError.any))
          return Disposables.create()
        }
      ) == "1 disposed"
    )
  }

  @Test func `asSingle wants exactly one`() {
    #expect(Observable.just(1).asSingle().asObservable().written() == "1 |")
    let two = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let observer = scheduler.start { two.asSingle() }
    #expect(observer.events == [.error(220, RxError.moreThanOneElement)])
    #expect(two.subscriptions == [Subscription(200, 220)])
    #expect(written(Observable<Int>.empty().asSingle()) == "x disposed")
  }

  @Test func `it emits when the source completes`() {
    let source = scheduler.createHotObservable([.next(210, 1), .completed(230)])
    let observer = scheduler.start { source.asSingle() }
    #expect(observer.events == [.next(230, 1), .completed(230)])
  }

  @Test func `subscribe with a result`() {
    let log = Log<String>()
    _ = Single.just(1).subscribe { log.append("\($0)") }
    #expect(log.entries == ["success(1)"])
  }
}
