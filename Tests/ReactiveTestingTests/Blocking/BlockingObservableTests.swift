import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct BlockingObservableTests {
  private struct Failure: Error, Equatable {}

  private let failing = Observable.of(1, 2).concat(Observable<Int>.error(Failure()))
  private let endless = Observable.from(repeatElement(1, count: .max))
  private let empty = Observable<Int>.empty()

  @Test func `blocking toArray returns all elements`() throws {
    #expect(try Observable.of(1, 2, 3).toBlocking().toArray() == [1, 2, 3])
    #expect(try empty.toBlocking().toArray() == [])
    #expect(throws: Failure.self) { try failing.toBlocking().toArray() }
  }

  @Test func `blocking first returns before the end`() throws {
    #expect(try Observable.of(1, 2, 3).toBlocking().first() == 1)
    #expect(try empty.toBlocking().first() == nil)
    #expect(try failing.toBlocking().first() == 1)
    #expect(try Observable<Int>.never().startWith(1).toBlocking().first() == 1)
    #expect(try endless.toBlocking().first() == 1)
    #expect(throws: Failure.self) { try Observable<Int>.error(Failure()).toBlocking().first() }
  }

  @Test func `blocking last returns at the end`() throws {
    #expect(try Observable.of(1, 2, 3).toBlocking().last() == 3)
    #expect(try empty.toBlocking().last() == nil)
    #expect(throws: Failure.self) { try failing.toBlocking().last() }
  }

  @Test func `blocking single fails for no element and for several`() throws {
    #expect(try Observable.just(1).toBlocking().single() == 1)
    #expect(error { try empty.toBlocking().single() } == "\(RxError.noElements)")
    #expect(
      error { try endless.toBlocking().single() }
        == "\(RxError.moreThanOneElement)"
    )
    #expect(throws: Failure.self) {
      try Observable<Int>.error(Failure()).startWith(1).toBlocking().single()
    }
  }

  @Test func `blocking single with a predicate counts the elements that satisfy it`() throws {
    let source = Observable.of(1, 2, 3, 4)
    #expect(try source.toBlocking().single { $0 == 3 } == 3)
    #expect(error { try source.toBlocking().single { $0 > 4 } } == "\(RxError.noElements)")
    #expect(error { try source.toBlocking().single { $0 > 2 } } == "\(RxError.moreThanOneElement)")
    #expect(throws: Failure.self) {
      try endless.toBlocking().single { _ in throw Failure() }
    }
  }

  @Test func `blocking materialize returns the elements and the end`() {
    guard case .completed(let elements) = Observable.of(1, 2).toBlocking().materialize(),
      case .failed(let received, let error) = failing.toBlocking().materialize()
    else {
      Issue.record("Ended otherwise.")
      return
    }
    #expect(elements == [1, 2])
    #expect(received == [1, 2])
    #expect(error is Failure)
  }

  @Test func `all blocking functions fail at the timeout`() {
    let never = Observable<Int>.never().toBlocking(timeout: 0.001)
    let expected = "\(RxError.timeout)"
    #expect(error { try never.toArray() } == expected)
    #expect(error { try never.first() } == expected)
    #expect(error { try never.last() } == expected)
    #expect(error { try never.single() } == expected)
    #expect(error { try Observable<Int>.never().toBlocking(timeout: -1).first() } == expected)
  }

  @Test func `blocking functions return before their timeout`() throws {
    #expect(try Observable.just(1).toBlocking(timeout: 0).toArray() == [1])
    #expect(try Observable.just(1).toBlocking(timeout: .infinity).toArray() == [1])
    let later = Observable.just(1).observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
    #expect(try later.toBlocking(timeout: 1e12).toArray() == [1])
    #expect(try later.toBlocking(timeout: .infinity).toArray() == [1])
  }

  @Test func `blocking functions dispose of the subscription after every outcome`() {
    let disposals = Locked(0)
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      return Disposables.create { disposals.withLock { $0 += 1 } }
    }
    let blocking = source.toBlocking(timeout: 0.001)
    _ = try? blocking.first()
    #expect(disposals.withLock { $0 } == 1)
    _ = try? blocking.toArray()
    #expect(disposals.withLock { $0 } == 2)
    _ = try? blocking.single { _ in throw Failure() }
    #expect(disposals.withLock { $0 } == 3)
  }

  @Test func `blocking functions release the observable`() throws {
    weak var seen: PublishSubject<Int>?
    do {
      let subject = PublishSubject<Int>()
      seen = subject
      _ = try subject.startWith(1).toBlocking().first()
      _ = subject.toBlocking(timeout: 0.001).materialize()
      #expect(!subject.hasObservers)
    }
    #expect(seen == nil)
  }

  @Test func `blocking functions ignore elements after the result`() throws {
    let subject = PublishSubject<Int>()
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onNext(2)
      observer.onCompleted()
      observer.onNext(3)
      observer.onError(Failure())
      return subject.subscribe(observer)
    }
    #expect(try source.toBlocking().first() == 1)
    #expect(try source.toBlocking().toArray() == [1, 2])
  }

  @Test func `a blocking function inside an operator returns its elements`() throws {
    let source = Observable.of(1, 2).map { element in
      try Observable.of(element, element * 10).toBlocking(timeout: 60).last() ?? 0
    }
    #expect(try source.toBlocking(timeout: 60).toArray() == [10, 20])
  }

  @Test func `blocking functions accept singles, maybes and completables`() throws {
    #expect(try Single.just(1).toBlocking().single() == 1)
    #expect(throws: Failure.self) { try Single<Int>.error(Failure()).toBlocking().single() }
    #expect(try Maybe<Int>.empty().toBlocking().first() == nil)
    #expect(try Completable.empty().toBlocking().toArray().isEmpty)
    #expect(throws: Failure.self) { try Completable.error(Failure()).toBlocking().last() }
  }

  private func error<Result>(of body: () throws -> Result) -> String? {
    do {
      _ = try body()
      return nil
    } catch { return "\(error)" }
  }

  @Test func `tasks run while blocking functions occupy every thread of the task pool`() async {
    let start = ContinuousClock.now
    let sums = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<64 {
        group.addTask {
          // A detached task runs on the task pool, also when this test does not.
          await Task.detached {
            let doubled = Observable<Int>.create { observer in
              await Task.yield()
              observer(2 * number)
            }
            // Subscribed before the wait, as a composer subscribes its effects.
            let results = ReplaySubject<Int>.create(bufferSize: 1)
            let subscription = doubled.subscribe(results)
            defer { subscription.dispose() }
            return try? results.toBlocking(timeout: 60).single()
          }
          .value
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums.compactMap { $0 }.sorted() == (0..<64).map { 2 * $0 })
    // Dispatch adds one thread a second to a blocked pool, which would take half a minute.
    #expect(ContinuousClock.now - start < .seconds(10))
  }

}
