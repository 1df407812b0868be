/// The way in which a shared sequence shares its source, and its scheduler.
public protocol SharingStrategyProtocol: SendableMetatype {
  /// The scheduler that delivers the elements.
  static var scheduler: any SchedulerType { get }

  /// Shares one subscription to `source` among all observers.
  static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

/// An observable that cannot fail.
///
/// Its strategy determines the scheduler and how the observers share one subscription.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element> {
  @usableFromInline let source: Observable<Element>

  @inlinable init(_ source: Observable<Element>) { self.source = SharingStrategy.share(source) }

  @inlinable init(raw source: Observable<Element>) { self.source = source }

  /// Creates a sequence of `source`, which continues with the result of `recover` for an error.
  ///
  /// It delivers on the strategy's scheduler, unless elements stay on the thread of the source.
  @inlinable init(
    _ source: Observable<Element>, recover: @escaping (any Error) -> Observable<Element>
  ) {
    let delivered = Self.isInPlace ? source : source.observe(on: SharingStrategy.scheduler)
    self.init(delivered.catching(recover))
  }

  /// Creates a sequence of `start`, subscribed to on the strategy's scheduler if there is one.
  private init(starting start: Observable<Element>) {
    self.init(raw: Self.isInPlace ? start : start.subscribe(on: SharingStrategy.scheduler))
  }

  /// Whether elements are delivered on the thread of the source.
  @inlinable static var isInPlace: Bool { SharingStrategy.self == InfallibleStrategy.self }

  /// The scheduler of the elements of `of` and `from`.
  private static var start: any ImmediateSchedulerType {
    isInPlace ? CurrentThreadScheduler.instance : SharingStrategy.scheduler
  }
}

// Immutable, like the observable it wraps.
extension SharedSequence: @unchecked Sendable {}

/// A type that can be turned into a shared sequence.
public protocol SharedSequenceConvertibleType: CombinableType
where
  SequenceKind == SharingStrategy, Combined == SharedSequence<SharingStrategy, Element>,
  SelectorError == Never
{
  /// The strategy of the sequence.
  associatedtype SharingStrategy: SharingStrategyProtocol

  /// Returns the shared sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  @inlinable var source: Observable<Element> { asSharedSequence().source }

  /// Returns an observable of the same elements.
  @inlinable public func asObservable() -> Observable<Element> { source }

  /// Returns a shared sequence of a combination of sources.
  @inlinable public static func combined(_ combination: Combination<Element>)
    -> Shared<Element>
  { SharedSequence(combination.source) }

  /// Emits the latest elements of all `sources` as an array, as `combineLatest` of two does.
  @inlinable public static func combineLatest<C: Collection>(_ sources: C) -> Shared<[Element]>
  where C.Element: Peer<Element> { .combineLatest(sources) { $0 } }

  /// Emits the elements of all `sources` in step as an array, as `zip` of two does.
  @inlinable public static func zip<C: Collection>(_ sources: C) -> Shared<[Element]>
  where C.Element: Peer<Element> { .zip(sources) { $0 } }
}

extension SharedSequence: SharedSequenceConvertibleType {
  /// Returns this sequence.
  @inlinable public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }
}

// MARK: - Creation

extension ObservableConvertibleType {
  /// Returns a shared sequence that emits `onErrorJustReturn` and completes where this fails.
  @inlinable public func asSharedSequence<Strategy>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn: Element
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable()) { _ in .just(onErrorJustReturn) }
  }

  /// Returns a shared sequence that continues with `onErrorDriveWith` where this fails.
  @inlinable public func asSharedSequence<Strategy>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorDriveWith: SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable()) { _ in onErrorDriveWith.source }
  }

  /// Returns a shared sequence that continues with the result of `onErrorRecover` where this fails.
  @preconcurrency @inlinable public func asSharedSequence<Strategy>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable()) { onErrorRecover($0).source }
  }

  /// Returns a shared sequence of a source that should not fail.
  ///
  /// An error is reported and completes the sequence.
  @inlinable func reportingErrors<Strategy>() -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable()) { error in
      Hooks.report(error)
      return .empty()
    }
  }
}

extension SharedSequence {
  /// Emits `element` and completes.
  public static func just(_ element: Element) -> Self { Self(starting: .just(element)) }

  /// Completes without an element.
  public static func empty() -> Self { Self(starting: .empty()) }

  /// Emits nothing and never ends.
  public static func never() -> Self { Self(raw: .never()) }

  /// Emits the given elements and completes.
  public static func of(_ elements: Element...) -> Self { from(elements) }

  /// Emits the elements of `sequence` and completes.
  public static func from<Elements: Sequence>(_ sequence: Elements) -> Self
  where Elements.Element == Element { Self(raw: .from(sequence, scheduler: start)) }

  /// Emits the element of `optional`, if there is one, and completes.
  public static func from(optional: Element?) -> Self {
    if isInPlace { return Self(raw: .from(optional: optional)) }
    return Self(raw: .from(optional: optional, scheduler: start))
  }

  /// Subscribes each connection to a new result of `observableFactory`.
  @preconcurrency public static func deferred(_ observableFactory: @escaping @Sendable () -> Self)
    -> Self
  { Self(.deferred { observableFactory().source }) }
}

extension SharedSequence where Element: RxAbstractInteger {
  /// Counts up from zero, one number in every `period`, the first after one `period`; never ends.
  public static func interval(_ period: RxTimeInterval) -> Self {
    Self(.interval(period, scheduler: SharingStrategy.scheduler))
  }

  /// Emits zero after `duration` and then the next number in every `period`; never ends.
  public static func timer(_ duration: RxTimeInterval, period: RxTimeInterval) -> Self {
    Self(.timer(duration, period: period, scheduler: SharingStrategy.scheduler))
  }
}

/// The scheduler of drivers and signals: the main queue's, unless a test replaces it.
public enum SharingScheduler {
  @TaskLocal private static var replacement: (@Sendable () -> any SchedulerType)?

  /// Makes the scheduler of each shared sequence that is created.
  ///
  /// By default each sequence gets a new `MainScheduler`: the elements of one sequence keep their
  /// order, and do not wait for other work on the main queue.
  public static var make: @Sendable () -> any SchedulerType { replacement ?? { MainScheduler() } }

  /// Makes the shared sequences that are created during `action` deliver on `scheduler`.
  ///
  /// Other threads and tasks are not affected, so concurrent tests may each use their own
  /// scheduler. Tasks made in `action` inherit the scheduler, except for detached ones.
  public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
    try mock(makeScheduler: { scheduler }, action: action)
  }

  /// Makes shared sequences that are created during `action` deliver on results of `makeScheduler`.
  ///
  /// Other threads and tasks are not affected, as with `mock(scheduler:action:)`.
  public static func mock(
    makeScheduler: @escaping @Sendable () -> any SchedulerType, action: () throws -> Void
  ) rethrows { try $replacement.withValue(makeScheduler, operation: action) }
}
