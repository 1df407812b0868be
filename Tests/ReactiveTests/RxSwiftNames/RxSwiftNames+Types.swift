import Foundation
import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test func `events and observers have RxSwift's names`() throws {
    let event: Event<Int> = .next(1)
    let _: [Event<Int>] = [.error(TestError.any), .completed]
    let _: Int? = event.element
    let _: (any Error)? = event.error
    let _: (Bool, Bool) = (event.isCompleted, event.isStopEvent)
    let _: Event<String> = event.map({ "\($0)" })
    let _: Event<Int> = (event as any EventConvertible<Int>).event
    let _: String = event.debugDescription
    let handler: AnyObserver<Int>.EventHandler = { (_: Event<Int>) in }
    let observer = AnyObserver<Int>(eventHandler: handler)
    let _: AnyObserver<Int> = AnyObserver<Int>(PublishSubject<Int>())
    let _: AnyObserver<Int> = observer.asObserver()
    let _: AnyObserver<String> = observer.mapObserver({ $0.count })
    observer.on(event)
    observer.onNext(1)
    observer.onError(TestError.any)
    observer.onCompleted()
    let binder = Binder<Int>(self.token, scheduler: scheduler, binding: { _, _ in })
    let _: AnyObserver<Int> = binder.asObserver()
    binder.on(event)
    let _: [RxError] = [
      .unknown, .disposed(object: token), .overflow, .argumentOutOfRange, .noElements,
      .moreThanOneElement, .timeout,
    ]
    let _: String = RxError.unknown.debugDescription
    let _: Hooks.DefaultErrorHandler = Hooks.defaultErrorHandler
    let _: Bool = Hooks.recordCallStackOnError
    let _: Hooks.CustomCaptureSubscriptionCallstack = Hooks.customCaptureSubscriptionCallstack
    let decoder: any DataDecoder = JSONDecoder()
    let _: Int = try decoder.decode(Int.self, from: Data("1".utf8))
    let _: (RxTime, RxTimeInterval) = (Date(), .seconds(1))
    let _: any RxAbstractInteger = 1
    let _: RxObservable<Int> = observable
    let _: [TakeBehavior] = [.inclusive, .exclusive]
    let _: [SubjectLifetimeScope] = [.whileConnected, .forever]
    let grouped = GroupedObservable<String, Int>(key: "", source: observable)
    let _: (String, Observable<Int>) = (grouped.key, grouped.asObservable())
    let sources: [any ObservableType<Int>] = [observable, grouped]
    let _: [any ObservableConvertibleType<Int>] = [sources[0], single]
    let _: any ObserverType<Int> = observer
  }

  @Test func `the namespace has RxSwift's names`() {
    final class Label: ReactiveCompatible { var text = "" }
    let label = Label()
    let reactive: Reactive<Label> = Reactive<Label>(label)
    let _: Label = reactive.base
    let _: Reactive<Label>.Type = Label.rx
    let _: Binder<String> = label.rx.text
    let _: Reactive<NSObject> = NSObject().rx
  }

  @Test func `subjects and relays have RxSwift's names`() throws {
    let subject = PublishSubject<Int>()
    let _: PublishSubject<Int> = subject.asObserver()
    let _: (Bool, Bool) = (subject.hasObservers, subject.isDisposed)
    subject.on(.next(1))
    subject.onNext(1)
    subject.dispose()
    let behavior = BehaviorSubject<Int>(value: 1)
    let _: Int = try behavior.value()
    let _: BehaviorSubject<Int> = behavior.asObserver()
    let _: ReplaySubject<Int> = ReplaySubject<Int>.create(bufferSize: 1)
    let _: ReplaySubject<Int> = ReplaySubject<Int>.createUnbounded().asObserver()
    let _: AsyncSubject<Int> = AsyncSubject<Int>().asObserver()
    let _: [any SubjectType] = [subject, behavior]
    let connectable: ConnectableObservable<Int> = observable.publish()
    let _: any ConnectableObservableType = connectable

    let publishRelay = PublishRelay<Int>()
    publishRelay.accept(1)
    let behaviorRelay = BehaviorRelay<Int>(value: 1)
    let _: Int = behaviorRelay.value
    behaviorRelay.accept(1)
    let replayRelay: ReplayRelay<Int> = ReplayRelay<Int>.create(bufferSize: 1)
    replayRelay.accept(1)
    let _: ReplayRelay<Int> = ReplayRelay<Int>.createUnbound()
    let _: Observable<Int> = publishRelay.asObservable()
    let _: Signal<Int> = publishRelay.asSignal()
    let _: Driver<Int> = behaviorRelay.asDriver()
    let _: Infallible<Int> = publishRelay.asInfallible()
    let _: Infallible<Int> = behaviorRelay.asInfallible()
    let _: Infallible<Int> = replayRelay.asInfallible()
  }

  @Test @MainActor func `traits have RxSwift's names`() {
    let _: PrimitiveSequence<SingleTrait, Int> = single
    let _: PrimitiveSequence<MaybeTrait, Int> = maybe
    let _: PrimitiveSequence<CompletableTrait, Never> = completable
    let _: any PrimitiveSequenceType<SingleTrait, Int> = single
    let _: Single<Int>.SingleObserver = { (_: SingleEvent<Int>) in }
    let _: Maybe<Int>.MaybeObserver = { (_: MaybeEvent<Int>) in }
    let _: Completable.CompletableObserver = { (_: CompletableEvent) in }
    let _: Infallible<Int>.InfallibleObserver = { (_: InfallibleEvent<Int>) in }
    let _: [SingleEvent<Int>] = [.success(1), .failure(TestError.any)]
    let _: [MaybeEvent<Int>] = [.success(1), .error(TestError.any), .completed]
    let _: [CompletableEvent] = [.error(TestError.any), .completed]
    let _: [Event<Int>] = [InfallibleEvent.next(1).event, InfallibleEvent.completed.event]
    let _: any InfallibleType = infallible
    let _: any SharedSequenceConvertibleType = driver
    let _: SharedSequence<DriverSharingStrategy, Int> = driver
    let _: SharedSequence<SignalSharingStrategy, Int> = signal
    let _: any SharingStrategyProtocol.Type = DriverSharingStrategy.self
    let _: any SchedulerType = DriverSharingStrategy.scheduler
    let _: Observable<Int> = SignalSharingStrategy.share(observable)
    let _: any SchedulerType = SharingScheduler.make()
    SharingScheduler.mock(scheduler: scheduler, action: {})
    SharingScheduler.mock(makeScheduler: { HistoricalScheduler() }, action: {})

    let event = ControlEvent<Int>(events: observable)
    let _: ControlEvent<Int> = event.asControlEvent()
    let _: Driver<Int> = event.asDriver()
    let _: Signal<Int> = event.asSignal()
    let _: Infallible<Int> = event.asInfallible()
    let _: any ControlEventType = event
    let property = ControlProperty<String?>(
      values: Observable.just("text"), valueSink: PublishSubject<String?>())
    let _: ControlEvent<String?> = property.changed
    let _: ControlProperty<String> = property.orEmpty
    let _: ControlProperty<String?> = property.asControlProperty()
    let _: Driver<String?> = property.asDriver()
    let _: any ControlPropertyType = property
    property.on(.next("text"))
  }

  #if TRACE_RESOURCES
  @Test func `the resource count has RxSwift's names`() {
    let _: Int32 = Resources.total
    _ = Resources.incrementTotal()
    _ = Resources.decrementTotal()
  }
  #endif
}
