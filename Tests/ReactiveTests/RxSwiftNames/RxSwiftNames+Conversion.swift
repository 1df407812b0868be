import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test func `infallibles are converted under RxSwift's names`() {
    let _: Driver<Int> = observable.asDriver(onErrorJustReturn: 1)
    let _: Driver<Int> = observable.asDriver(onErrorDriveWith: .empty())
    let _: Driver<Int> = observable.asDriver(onErrorRecover: { _ in .empty() })
    let _: Signal<Int> = observable.asSignal(onErrorJustReturn: 1)
    let _: Signal<Int> = observable.asSignal(onErrorSignalWith: .empty())
    let _: Signal<Int> = observable.asSignal(onErrorRecover: { _ in .empty() })
    let _: Infallible<Int> = observable.asInfallible(onErrorJustReturn: 1)
    let _: Infallible<Int> = observable.asInfallible(onErrorFallbackTo: .empty())
    let _: Infallible<Int> = observable.asInfallible(onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = infallible.asDriver(onErrorJustReturn: 1)
    let _: Driver<Int> = infallible.asDriver(onErrorDriveWith: .empty())
    let _: Driver<Int> = infallible.asDriver(onErrorRecover: { _ in .empty() })
    let _: Signal<Int> = infallible.asSignal(onErrorJustReturn: 1)
    let _: Signal<Int> = infallible.asSignal(onErrorSignalWith: .empty())
    let _: Signal<Int> = infallible.asSignal(onErrorRecover: { _ in .empty() })
    let _: Infallible<Int> = infallible.asInfallible(onErrorJustReturn: 1)
    let _: Infallible<Int> = infallible.asInfallible(onErrorFallbackTo: .empty())
    let _: Infallible<Int> = infallible.asInfallible(onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = driver.asDriver(onErrorJustReturn: 1)
    let _: Driver<Int> = driver.asDriver(onErrorDriveWith: .empty())
    let _: Driver<Int> = driver.asDriver(onErrorRecover: { _ in .empty() })
    let _: Signal<Int> = driver.asSignal(onErrorJustReturn: 1)
    let _: Signal<Int> = driver.asSignal(onErrorSignalWith: .empty())
    let _: Signal<Int> = driver.asSignal(onErrorRecover: { _ in .empty() })
    let _: Infallible<Int> = driver.asInfallible(onErrorJustReturn: 1)
    let _: Infallible<Int> = driver.asInfallible(onErrorFallbackTo: .empty())
    let _: Infallible<Int> = driver.asInfallible(onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = signal.asDriver(onErrorJustReturn: 1)
    let _: Driver<Int> = signal.asDriver(onErrorDriveWith: .empty())
    let _: Driver<Int> = signal.asDriver(onErrorRecover: { _ in .empty() })
    let _: Signal<Int> = signal.asSignal(onErrorJustReturn: 1)
    let _: Signal<Int> = signal.asSignal(onErrorSignalWith: .empty())
    let _: Signal<Int> = signal.asSignal(onErrorRecover: { _ in .empty() })
    let _: Infallible<Int> = signal.asInfallible(onErrorJustReturn: 1)
    let _: Infallible<Int> = signal.asInfallible(onErrorFallbackTo: .empty())
    let _: Infallible<Int> = signal.asInfallible(onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = single.asDriver(onErrorJustReturn: 1)
    let _: Driver<Int> = single.asDriver(onErrorDriveWith: .empty())
    let _: Driver<Int> = single.asDriver(onErrorRecover: { _ in .empty() })
    let _: Signal<Int> = single.asSignal(onErrorJustReturn: 1)
    let _: Signal<Int> = single.asSignal(onErrorSignalWith: .empty())
    let _: Signal<Int> = single.asSignal(onErrorRecover: { _ in .empty() })
    let _: Infallible<Int> = single.asInfallible(onErrorJustReturn: 1)
    let _: Infallible<Int> = single.asInfallible(onErrorFallbackTo: .empty())
    let _: Infallible<Int> = single.asInfallible(onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = maybe.asDriver(onErrorJustReturn: 1)
    let _: Driver<Int> = maybe.asDriver(onErrorDriveWith: .empty())
    let _: Driver<Int> = maybe.asDriver(onErrorRecover: { _ in .empty() })
    let _: Signal<Int> = maybe.asSignal(onErrorJustReturn: 1)
    let _: Signal<Int> = maybe.asSignal(onErrorSignalWith: .empty())
    let _: Signal<Int> = maybe.asSignal(onErrorRecover: { _ in .empty() })
    let _: Infallible<Int> = maybe.asInfallible(onErrorJustReturn: 1)
    let _: Infallible<Int> = maybe.asInfallible(onErrorFallbackTo: .empty())
    let _: Infallible<Int> = maybe.asInfallible(onErrorRecover: { _ in .empty() })
    let _: Driver<Never> = completable.asDriver(onErrorDriveWith: .empty())
    let _: Driver<Never> = completable.asDriver(onErrorRecover: { _ in .empty() })
    let _: Signal<Never> = completable.asSignal(onErrorSignalWith: .empty())
    let _: Signal<Never> = completable.asSignal(onErrorRecover: { _ in .empty() })
    let _: Infallible<Never> = completable.asInfallible(onErrorFallbackTo: .empty())
    let _: Infallible<Never> = completable.asInfallible(onErrorRecover: { _ in .empty() })
  }

  @Test func `shared sequences are converted under RxSwift's names`() {
    let _: Driver<Int> = observable.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: 1)
    let _: Driver<Int> = observable.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorDriveWith: .empty())
    let _: Driver<Int> = observable.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = infallible.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: 1)
    let _: Driver<Int> = infallible.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorDriveWith: .empty())
    let _: Driver<Int> = infallible.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = driver.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: 1)
    let _: Driver<Int> = driver.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorDriveWith: .empty())
    let _: Driver<Int> = driver.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = signal.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: 1)
    let _: Driver<Int> = signal.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorDriveWith: .empty())
    let _: Driver<Int> = signal.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = single.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: 1)
    let _: Driver<Int> = single.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorDriveWith: .empty())
    let _: Driver<Int> = single.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = maybe.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: 1)
    let _: Driver<Int> = maybe.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorDriveWith: .empty())
    let _: Driver<Int> = maybe.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorRecover: { _ in .empty() })
    let _: Driver<Never> = completable.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorDriveWith: .empty())
    let _: Driver<Never> = completable.asSharedSequence(
      sharingStrategy: DriverSharingStrategy.self, onErrorRecover: { _ in .empty() })
    let _: Driver<Int> = driver.asSharedSequence()
    let _: Infallible<Int> = infallible.asSharedSequence()
    let _: Signal<Int> = signal.asSharedSequence()
    let _: Driver<Int> = infallible.asDriver()
    let _: Driver<Int> = driver.asDriver()
    let _: Driver<Int> = signal.asDriver()
    let _: Signal<Int> = signal.asSignal()
    let _: Infallible<Int> = infallible.asInfallible()
    let _: Infallible<Int> = driver.asInfallible()
    let _: Infallible<Int> = signal.asInfallible()
  }

  @Test func `observables and traits are converted under RxSwift's names`() {
    let _: Observable<Int> = observable.asObservable()
    let _: Observable<Int> = infallible.asObservable()
    let _: Observable<Int> = driver.asObservable()
    let _: Observable<Int> = signal.asObservable()
    let _: Observable<Int> = single.asObservable()
    let _: Observable<Int> = maybe.asObservable()
    let _: Observable<Never> = completable.asObservable()
    let _: Single<Int> = observable.asSingle()
    let _: Maybe<Int> = observable.asMaybe()
    let _: Completable = observableOfNothing.asCompletable()
    let _: Maybe<Int> = single.asMaybe()
    let _: Completable = single.asCompletable()
    let _: Single<Int> = single.primitiveSequence
    let _: Maybe<Int> = maybe.primitiveSequence
    let _: Completable = completable.primitiveSequence
  }

  @Test @MainActor func `observables are awaited under RxSwift's names`() async throws {
    let _: AsyncThrowingStream<Int, any Error> = observable.values
    let _: AsyncStream<Int> = infallible.values
    let _: AsyncStream<Int> = driver.values
    let _: AsyncStream<Int> = signal.values
    let _: Int = try await single.value
    let _: Int? = try await maybe.value
    let _: Void = try await completable.value
    let _: Observable<Int> = AsyncStream<Int>.ended.asObservable(detached: true)
  }
}

extension AsyncStream {
  /// An empty sequence.
  fileprivate static var ended: Self { Self { $0.finish() } }
}
