import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Operators release stored elements when the subscription ends.
@Suite("Release of elements", .workerPool)
struct ElementReleaseTests {
  /// An operator that stores elements.
  struct Holder: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Token>, TestScheduler) -> Observable<Token>

    init(
      _ name: String,
      _ apply: @escaping @Sendable (Observable<Token>, TestScheduler) -> Observable<Token>
    ) {
      testDescription = name
      self.apply = apply
    }
  }

  static let holders: [Holder] = [
    Holder("debounce") { $0.debounce(.seconds(9), scheduler: $1) },
    Holder("throttle") { $0.throttle(.seconds(9), scheduler: $1) },
    Holder("delay") { $0.delay(.seconds(9), scheduler: $1) },
    Holder("observe(on:)") { $0.observe(on: $1) },
    Holder("observe(on:buffer:)") { $0.observe(on: $1, buffer: .bounded(2, .dropOldest)) },
    Holder("scan") { source, _ in source.scan(Token()) { $1 } },
    Holder("distinctUntilChanged") { source, _ in source.distinctUntilChanged { $0 === $1 } },
    Holder("zip") { source, _ in .zip(source, Observable<Int>.never()) { token, _ in token } },
    Holder("zip of a collection") { source, _ in .zip([source, .never()]) { $0[0] } },
    Holder("combineLatest") { source, _ in
      .combineLatest(source, Observable<Int>.never()) { token, _ in token }
    },
    Holder("withLatestFrom") { source, _ in Observable<Int>.never().withLatestFrom(source) },
    Holder("concatMap") { source, _ in source.concatMap { _ in Observable<Token>.never() } },
    Holder("merge(maxConcurrent:)") { source, _ in
      source.map { Observable.never().startWith($0) }.merge(maxConcurrent: 1)
    },
    Holder("flatMap") { source, _ in source.flatMap { Observable.never().startWith($0) } },
    Holder("flatMapLatest") { source, _ in
      source.flatMapLatest { Observable.never().startWith($0) }
    },
    Holder("asSingle") { source, _ in source.take(1).asSingle().asObservable() },
    Holder("takeLast") { source, _ in source.takeLast(3) },
    Holder("toArray") { source, _ in source.toArray().map { $0[0] }.asObservable() },
    Holder("sample") { source, _ in source.sample(Observable<Int>.never()) },
    Holder("asMaybe") { source, _ in source.take(1).asMaybe().asObservable() },
    Holder("share(replay:)") { source, _ in source.share(replay: 3) },
  ]

  @Test(arguments: holders, [true, false])
  func `an ended subscription releases the elements that its operator held`(
    holder: Holder, isDisposed: Bool
  ) {
    let scheduler = TestScheduler(initialClock: 0)
    let subject = PublishSubject<Token>()
    let observable = holder.apply(subject, scheduler)
    var kept: (any Disposable)?
    let released = isReleased { token in
      let subscription = observable.subscribe(onError: { _ in })
      kept = subscription
      subject.onNext(token)
      subject.onNext(token)
      if isDisposed { subscription.dispose() } else { subject.onError(TestError.any) }
      // Runs work that is already scheduled.
      scheduler.advanceTo(5)
    }
    #expect(released)
    withExtendedLifetime((kept, observable, scheduler)) {}
  }
}
