/// The strategy of `Infallible`: no sharing, and delivery on the thread of the source.
public struct InfallibleStrategy: SharingStrategyProtocol {
  /// The scheduler for timed operators without a scheduler argument: that of drivers and signals.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }

  /// Returns `source` itself: every observer has its own subscription.
  @inlinable public static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
  { source }
}

/// An observable that cannot fail.
public typealias Infallible<Element> = SharedSequence<InfallibleStrategy, Element>

/// The protocol of infallibles.
public protocol InfallibleType: SharedSequenceConvertibleType, BindableType
where SharingStrategy == InfallibleStrategy {}

extension SharedSequence: BindableType, InfallibleType where SharingStrategy == InfallibleStrategy {
}

/// An event that an infallible sends to its observer.
@frozen public enum InfallibleEvent<Element> {
  /// One element.
  case next(Element)
  /// The sequence has ended.
  case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleEvent: EventConvertible {
  /// The corresponding event of an observable.
  public var event: Event<Element> {
    if case .next(let element) = self { .next(element) } else { .completed }
  }
}

extension SharedSequence where SharingStrategy == InfallibleStrategy {
  /// Receives the events of an infallible.
  public typealias InfallibleObserver = (InfallibleEvent<Element>) -> Void

  /// Returns an infallible that runs `subscribe` for each observer.
  ///
  /// The observer may be called on any thread, one call at a time. It ignores events after
  /// completion or disposal. The disposable that `subscribe` returns is disposed of when the
  /// subscription ends.
  @preconcurrency public static func create(
    subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
  ) -> Self { Self(.create { observer in subscribe { observer.on($0.event) } }) }

  /// Emits `element` and completes, on `scheduler`.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Self {
    Self(.just(element, scheduler: scheduler))
  }

  /// Emits the given elements and completes, on `scheduler`.
  public static func of(_ elements: Element..., scheduler: any ImmediateSchedulerType) -> Self {
    from(elements, scheduler: scheduler)
  }

  /// Emits the elements of `sequence` and completes, on `scheduler`.
  public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType
  ) -> Self where Elements.Element == Element { Self(.from(sequence, scheduler: scheduler)) }
}

extension ObservableConvertibleType {
  /// Returns an infallible that emits `element` and completes where this sequence fails.
  @inlinable public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
    asSharedSequence(onErrorJustReturn: element)
  }

  /// Returns an infallible that continues with `infallible` where this sequence fails.
  @inlinable public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>)
    -> Infallible<Element>
  { asSharedSequence(onErrorDriveWith: infallible) }

  /// Returns an infallible that continues with the result of `onErrorRecover` where this fails.
  @preconcurrency @inlinable public func asInfallible(
    onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
  ) -> Infallible<Element> { asSharedSequence(onErrorRecover: onErrorRecover) }
}

extension RelayType {
  /// Returns an infallible of this relay's elements.
  @inlinable public func asInfallible() -> Infallible<Element> { reportingErrors() }
}

extension SharedSequenceConvertibleType {
  /// Returns an infallible of this sequence's elements.
  @inlinable public func asInfallible() -> Infallible<Element> { Infallible(source) }
}

extension InfallibleType {
  /// Subscribes `on`, which is called with each event.
  @preconcurrency @inlinable public func subscribe(
    _ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void
  ) -> any Disposable {
    source.start(Sink(next: { on(.next($0)) }, end: { if $0 == nil { on(.completed) } }))
  }

  /// Subscribes closures, each called on the thread on which the event arrives.
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

  /// Delivers all events on `scheduler`, in order.
  @inlinable public func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(source.observe(on: scheduler))
  }

  /// Subscribes to the source, and disposes of it, on `scheduler`.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(source.subscribe(on: scheduler))
  }

  /// Shares one subscription to the source among all observers, as `share` of an observable does.
  @inlinable public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected)
    -> Infallible<Element>
  { Infallible(source.share(replay: replay, scope: scope)) }

  /// Emits the elements until `other` emits, then completes; an error of `other` is ignored.
  public func take<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    Infallible(source.take(until: other.catching { _ in .never() }))
  }

  /// Emits the elements that arrive within `duration`, then completes, on `scheduler`.
  public func take(for duration: RxTimeInterval, scheduler: any SchedulerType)
    -> Infallible<Element>
  { Infallible(source.take(for: duration, scheduler: scheduler)) }

  /// Emits the elements that follow the first element of `other`; an error of `other` is ignored.
  public func skip<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    Infallible(source.skip(until: other.catching { _ in .never() }))
  }

  /// Emits an element once the sequence has emitted nothing for `dueTime` after it; on `scheduler`.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Infallible<Element>
  { Infallible(source.debounce(dueTime, scheduler: scheduler)) }

  /// Emits at most one element in every `dueTime`, as `throttle` of an observable does.
  public func throttle(_ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType)
    -> Infallible<Element>
  { Infallible(source.throttle(dueTime, latest: latest, scheduler: scheduler)) }

  /// Delivers each event `dueTime` later, on `scheduler`.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element>
  { Infallible(source.delay(dueTime, scheduler: scheduler)) }
}
