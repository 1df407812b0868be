/// The strategy of `Infallible`: nothing is shared, and elements arrive where the source delivers.
public struct InfallibleStrategy: SharingStrategyProtocol {
  /// For operators that need time and are given no scheduler: that of drivers and signals.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }

  /// The source itself: every observer subscribes on its own.
  @inlinable public static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
  { source }
}

/// An observable that cannot fail, and is otherwise like any other.
public typealias Infallible<Element> = SharedSequence<InfallibleStrategy, Element>

/// What all infallibles are.
public protocol InfallibleType: SharedSequenceConvertibleType, BindableType
where SharingStrategy == InfallibleStrategy {}

extension SharedSequence: BindableType, InfallibleType where SharingStrategy == InfallibleStrategy {
}

/// What an infallible tells its observer.
@frozen public enum InfallibleEvent<Element> {
  /// The next element.
  case next(Element)
  /// The sequence has ended.
  case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleEvent: EventConvertible {
  /// The same event of an observable.
  public var event: Event<Element> {
    if case .next(let element) = self { .next(element) } else { .completed }
  }
}

extension SharedSequence where SharingStrategy == InfallibleStrategy {
  /// Receives the events of an infallible.
  public typealias InfallibleObserver = (InfallibleEvent<Element>) -> Void

  /// An infallible that runs `subscribe` for each observer.
  ///
  /// The observer may be called from any thread, one call at a time; nothing passes after completion
  /// or disposal. What `subscribe` returns is disposed of when the subscription ends.
  @preconcurrency public static func create(
    subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
  ) -> Self { Self(.create { observer in subscribe { observer.on($0.event) } }) }

  /// One element, then completion, delivered on `scheduler`.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Self {
    Self(.just(element, scheduler: scheduler))
  }

  /// The given elements, then completion, delivered on `scheduler`.
  public static func of(_ elements: Element..., scheduler: any ImmediateSchedulerType) -> Self {
    from(elements, scheduler: scheduler)
  }

  /// The elements of `sequence`, then completion, delivered on `scheduler`.
  public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType
  ) -> Self where Elements.Element == Element { Self(.from(sequence, scheduler: scheduler)) }
}

extension ObservableConvertibleType {
  /// An infallible that emits `element` and completes where this fails.
  @inlinable public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
    asSharedSequence(onErrorJustReturn: element)
  }

  /// An infallible that goes on with `infallible` where this fails.
  @inlinable public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>)
    -> Infallible<Element>
  { asSharedSequence(onErrorDriveWith: infallible) }

  /// An infallible that goes on with what `onErrorRecover` makes of the error where this fails.
  @preconcurrency @inlinable public func asInfallible(
    onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
  ) -> Infallible<Element> { asSharedSequence(onErrorRecover: onErrorRecover) }
}

extension RelayType {
  /// An infallible of this relay's elements.
  @inlinable public func asInfallible() -> Infallible<Element> { reportingErrors() }
}

extension SharedSequenceConvertibleType {
  /// An infallible of this sequence's elements.
  @inlinable public func asInfallible() -> Infallible<Element> { Infallible(source) }
}

extension InfallibleType {
  /// Subscribes `on`, called with each event.
  @preconcurrency @inlinable public func subscribe(
    _ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void
  ) -> any Disposable {
    source.start(Sink(next: { on(.next($0)) }, end: { if $0 == nil { on(.completed) } }))
  }

  /// Subscribes closures, each called on the thread where the event arrives.
  @preconcurrency @inlinable public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    source.subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that receive `object`, which is held weakly.
  @preconcurrency @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    source.subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Delivers everything on `scheduler`, in order.
  @inlinable public func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(source.observe(on: scheduler))
  }

  /// Subscribes, and disposes of the source, on `scheduler`.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(source.subscribe(on: scheduler))
  }

  /// One subscription to the source for all observers, as `share` of an observable.
  @inlinable public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected)
    -> Infallible<Element>
  { Infallible(source.share(replay: replay, scope: scope)) }

  /// The elements until `other` emits its first, then completion; an error of `other` is nothing.
  public func take<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    Infallible(source.take(until: other.catching { _ in .never() }))
  }

  /// The elements that come within `duration`, then completion, on `scheduler`.
  public func take(for duration: RxTimeInterval, scheduler: any SchedulerType)
    -> Infallible<Element>
  { Infallible(source.take(for: duration, scheduler: scheduler)) }

  /// The elements after the first one of `other`; an error of `other` is nothing.
  public func skip<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    Infallible(source.skip(until: other.catching { _ in .never() }))
  }

  /// An element once the sequence has been quiet for `dueTime` after it; on `scheduler`.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Infallible<Element>
  { Infallible(source.debounce(dueTime, scheduler: scheduler)) }

  /// At most one element in every `dueTime`, as `throttle` of an observable.
  public func throttle(_ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType)
    -> Infallible<Element>
  { Infallible(source.throttle(dueTime, latest: latest, scheduler: scheduler)) }

  /// Everything `dueTime` later, on `scheduler`.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element>
  { Infallible(source.delay(dueTime, scheduler: scheduler)) }
}
