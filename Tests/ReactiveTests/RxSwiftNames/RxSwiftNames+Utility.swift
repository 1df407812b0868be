import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test func `do and debug have RxSwift's names`() {
    let _: Observable<Int> = observable.do(
      onNext: { _ in }, afterNext: { _ in }, onError: { _ in }, afterError: { _ in },
      onCompleted: {}, afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {})
    let _: Infallible<Int> = infallible.do(
      onNext: { _ in }, afterNext: { _ in }, onCompleted: {}, afterCompleted: {}, onSubscribe: {},
      onSubscribed: {}, onDispose: {})
    let _: Driver<Int> = driver.do(
      onNext: { _ in }, afterNext: { _ in }, onCompleted: {}, afterCompleted: {}, onSubscribe: {},
      onSubscribed: {}, onDispose: {})
    let _: Signal<Int> = signal.do(
      onNext: { _ in }, afterNext: { _ in }, onCompleted: {}, afterCompleted: {}, onSubscribe: {},
      onSubscribed: {}, onDispose: {})
    let _: Single<Int> = single.do(
      onSuccess: { _ in }, afterSuccess: { _ in }, onError: { _ in }, afterError: { _ in },
      onSubscribe: {}, onSubscribed: {}, onDispose: {})
    let _: Maybe<Int> = maybe.do(
      onNext: { _ in }, afterNext: { _ in }, onError: { _ in }, afterError: { _ in },
      onCompleted: {}, afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {})
    let _: Completable = completable.do(
      onError: { _ in }, afterError: { _ in }, onCompleted: {}, afterCompleted: {},
      onSubscribe: {}, onSubscribed: {}, onDispose: {})
    let _: Observable<Int> = observable.debug(
      "name", trimOutput: true, file: "file", line: 1, function: "function")
    let _: Infallible<Int> = infallible.debug(
      "name", trimOutput: true, file: "file", line: 1, function: "function")
    let _: Driver<Int> = driver.debug(
      "name", trimOutput: true, file: "file", line: 1, function: "function")
    let _: Signal<Int> = signal.debug(
      "name", trimOutput: true, file: "file", line: 1, function: "function")
    let _: Single<Int> = single.debug(
      "name", trimOutput: true, file: "file", line: 1, function: "function")
    let _: Maybe<Int> = maybe.debug(
      "name", trimOutput: true, file: "file", line: 1, function: "function")
    let _: Completable = completable.debug(
      "name", trimOutput: true, file: "file", line: 1, function: "function")
  }

  @Test func `observe(on:) and subscribe(on:) have RxSwift's names`() {
    let _: Observable<Int> = observable.observe(on: scheduler)
    let _: Observable<Int> = observable.subscribe(on: scheduler)
    let _: Infallible<Int> = infallible.observe(on: scheduler)
    let _: Infallible<Int> = infallible.subscribe(on: scheduler)
    let _: Single<Int> = single.observe(on: scheduler)
    let _: Single<Int> = single.subscribe(on: scheduler)
    let _: Maybe<Int> = maybe.observe(on: scheduler)
    let _: Maybe<Int> = maybe.subscribe(on: scheduler)
    let _: Completable = completable.observe(on: scheduler)
    let _: Completable = completable.subscribe(on: scheduler)
  }

  @Test func `subscribe functions have RxSwift's names`() {
    let subscriptions: [any Disposable] = [
      observable.subscribe(PublishSubject<Int>()),
      observable.subscribe({ (_: Event<Int>) in }),
      observable.subscribe(
        onNext: { _ in }, onError: { _ in }, onCompleted: {}, onDisposed: {}),
      observable.subscribe(
        with: token, onNext: { _, _ in }, onError: { _, _ in }, onCompleted: { _ in },
        onDisposed: { _ in }),
      infallible.subscribe({ (_: InfallibleEvent<Int>) in }),
      infallible.subscribe(onNext: { _ in }, onCompleted: {}, onDisposed: {}),
      infallible.subscribe(
        with: token, onNext: { _, _ in }, onCompleted: { _ in }, onDisposed: { _ in }),
      single.subscribe({ (_: SingleEvent<Int>) in }),
      single.subscribe(onSuccess: { _ in }, onFailure: { _ in }, onDisposed: {}),
      single.subscribe(
        with: token, onSuccess: { _, _ in }, onFailure: { _, _ in }, onDisposed: { _ in }),
      maybe.subscribe({ (_: MaybeEvent<Int>) in }),
      maybe.subscribe(onSuccess: { _ in }, onError: { _ in }, onCompleted: {}, onDisposed: {}),
      maybe.subscribe(
        with: token, onSuccess: { _, _ in }, onError: { _, _ in }, onCompleted: { _ in },
        onDisposed: { _ in }),
      completable.subscribe({ (_: CompletableEvent) in }),
      completable.subscribe(onCompleted: {}, onError: { _ in }, onDisposed: {}),
      completable.subscribe(
        with: token, onCompleted: { _ in }, onError: { _, _ in }, onDisposed: { _ in }),
    ]
    let bag = DisposeBag()
    subscriptions.forEach { subscription in subscription.disposed(by: bag) }
  }

  @Test func `bind functions have RxSwift's names`() {
    let subscriptions: [any Disposable] = [
      observable.bind(to: PublishSubject<Int>()),
      observable.bind(to: PublishSubject<Int?>()),
      observable.bind(to: PublishRelay<Int>()),
      observable.bind(to: PublishRelay<Int?>()),
      observable.bind(to: BehaviorRelay<Int>(value: 1)),
      observable.bind(to: BehaviorRelay<Int?>(value: 1)),
      observable.bind(to: ReplayRelay<Int>.create(bufferSize: 1)),
      observable.bind(to: ReplayRelay<Int?>.create(bufferSize: 1)),
      observable.bind(to: { (source: Observable<Int>) in source.subscribe() }),
      observable.bind(
        to: { (source: Observable<Int>) in { (_: String) in source.subscribe() } },
        curriedArgument: ""),
      observable.bind(onNext: { _ in }),
      observable.bind(with: token, onNext: { _, _ in }),
      infallible.bind(to: PublishSubject<Int>()),
      infallible.bind(to: PublishSubject<Int?>()),
      infallible.bind(to: PublishRelay<Int>()),
      infallible.bind(to: PublishRelay<Int?>()),
      infallible.bind(to: BehaviorRelay<Int>(value: 1)),
      infallible.bind(to: BehaviorRelay<Int?>(value: 1)),
      infallible.bind(to: ReplayRelay<Int>.create(bufferSize: 1)),
      infallible.bind(to: ReplayRelay<Int?>.create(bufferSize: 1)),
      infallible.bind(to: { (source: Infallible<Int>) in source.subscribe() }),
      infallible.bind(
        to: { (source: Infallible<Int>) in { (_: String) in source.subscribe() } },
        curriedArgument: ""),
      infallible.bind(onNext: { _ in }),
      infallible.bind(with: token, onNext: { _, _ in }),
    ]
    subscriptions.forEach { $0.dispose() }
  }

  @Test @MainActor func `drive and emit functions have RxSwift's names`() {
    let subscriptions: [any Disposable] = [
      driver.drive(),
      driver.drive(onNext: { _ in }, onCompleted: {}, onDisposed: {}),
      driver.drive(
        with: token, onNext: { _, _ in }, onCompleted: { _ in }, onDisposed: { _ in }),
      driver.drive(PublishSubject<Int>()),
      driver.drive(PublishSubject<Int?>()),
      driver.drive(BehaviorRelay<Int>(value: 1)),
      driver.drive(BehaviorRelay<Int?>(value: 1)),
      driver.drive(ReplayRelay<Int>.create(bufferSize: 1)),
      driver.drive(ReplayRelay<Int?>.create(bufferSize: 1)),
      driver.drive({ (source: Observable<Int>) in source.subscribe() }),
      driver.drive(
        { (source: Observable<Int>) in { (_: String) in source.subscribe() } },
        curriedArgument: ""),
      signal.emit(),
      signal.emit(onNext: { _ in }, onCompleted: {}, onDisposed: {}),
      signal.emit(
        with: token, onNext: { _, _ in }, onCompleted: { _ in }, onDisposed: { _ in }),
      signal.emit(to: PublishSubject<Int>()),
      signal.emit(to: PublishSubject<Int?>()),
      signal.emit(to: PublishRelay<Int>()),
      signal.emit(to: PublishRelay<Int?>()),
      signal.emit(to: BehaviorRelay<Int>(value: 1)),
      signal.emit(to: BehaviorRelay<Int?>(value: 1)),
      signal.emit(to: ReplayRelay<Int>.create(bufferSize: 1)),
      signal.emit(to: ReplayRelay<Int?>.create(bufferSize: 1)),
    ]
    subscriptions.forEach { $0.dispose() }
  }
}
