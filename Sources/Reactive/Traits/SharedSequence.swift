/// How a shared sequence shares, and where it delivers.
public protocol SharingStrategyProtocol: SendableMetatype {
  /// Where elements are delivered.
  static var scheduler: any SchedulerType { get }

  /// Shares one subscription to `source` between all observers.
  static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

/// An observable that cannot fail; its strategy says where it delivers, and how its observers share
/// one subscription.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element> {
  @usableFromInline let source: Observable<Element>

  @inlinable init(_ source: Observable<Element>) { self.source = SharingStrategy.share(source) }

  @inlinable init(raw source: Observable<Element>) { self.source = source }

  /// A sequence of what `source` brings, on the strategy's scheduler when it has one of its own, and
  /// of what `recover` makes of its error.
  @inlinable init(
    _ source: Observable<Element>, recover: @escaping (any Error) -> Observable<Element>
  ) {
    let delivered = Self.isInPlace ? source : source.observe(on: SharingStrategy.scheduler)
    self.init(delivered.catching(recover))
  }

  /// A sequence that begins with `start`, on the strategy's scheduler when it has one of its own.
  private init(starting start: Observable<Element>) {
    self.init(raw: Self.isInPlace ? start : start.subscribe(on: SharingStrategy.scheduler))
  }

  /// Whether elements arrive where the source delivers.
  @inlinable static var isInPlace: Bool { SharingStrategy.self == InfallibleStrategy.self }

  /// Where elements that are given begin.
  private static var start: any ImmediateSchedulerType {
    isInPlace ? CurrentThreadScheduler.instance : SharingStrategy.scheduler
  }
}

// Immutable, like the observable it wraps.
extension SharedSequence: @unchecked Sendable {}

/// Something that can be turned into a shared sequence.
public protocol SharedSequenceConvertibleType: CombinableType
where
  SequenceKind == SharingStrategy, Combined == SharedSequence<SharingStrategy, Element>,
  SelectorError == Never
{
  /// How it is shared.
  associatedtype SharingStrategy: SharingStrategyProtocol

  /// The shared sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  @inlinable var source: Observable<Element> { asSharedSequence().source }

  /// This sequence as an observable.
  @inlinable public func asObservable() -> Observable<Element> { source }

  /// A sequence of what was combined.
  @inlinable public static func combined(_ combination: Combination<Element>)
    -> Shared<Element>
  { SharedSequence(combination.source) }

  /// Emits the latest elements of all of `sources` as an array, as `combineLatest` of two does.
  @inlinable public static func combineLatest<C: Collection>(_ sources: C) -> Shared<[Element]>
  where C.Element: Peer<Element> { .combineLatest(sources) { $0 } }

  /// Emits the elements of all of `sources` in step as an array, as `zip` of two does.
  @inlinable public static func zip<C: Collection>(_ sources: C) -> Shared<[Element]>
  where C.Element: Peer<Element> { .zip(sources) { $0 } }
}

extension SharedSequence: SharedSequenceConvertibleType {
  /// Itself.
  @inlinable public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }
}

// MARK: - Making them

extension ObservableConvertibleType {
  /// A shared sequence that emits `onErrorJustReturn` and completes where this fails.
  @inlinable public func asSharedSequence<Strategy>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn: Element
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable()) { _ in .just(onErrorJustReturn) }
  }

  /// A shared sequence that goes on with `onErrorDriveWith` where this fails.
  @inlinable public func asSharedSequence<Strategy>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorDriveWith: SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable()) { _ in onErrorDriveWith.source }
  }

  /// A shared sequence that goes on with what `onErrorRecover` makes of the error where this fails.
  @preconcurrency @inlinable public func asSharedSequence<Strategy>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable()) { onErrorRecover($0).source }
  }

  /// A shared sequence of what promises not to fail: an error is reported, and completes it.
  @inlinable func reportingErrors<Strategy>() -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable()) { error in
      Hooks.defaultErrorHandler([], error)
      return .empty()
    }
  }
}

extension SharedSequence {
  /// One element, then completion.
  public static func just(_ element: Element) -> Self { Self(starting: .just(element)) }

  /// No element: completes.
  public static func empty() -> Self { Self(starting: .empty()) }

  /// Neither an element nor an end.
  public static func never() -> Self { Self(raw: .never()) }

  /// The given elements, then completion.
  public static func of(_ elements: Element...) -> Self { from(elements) }

  /// The elements of `sequence`, then completion.
  public static func from<Elements: Sequence>(_ sequence: Elements) -> Self
  where Elements.Element == Element { Self(raw: .from(sequence, scheduler: start)) }

  /// The element of `optional` when there is one, then completion.
  public static func from(optional: Element?) -> Self {
    if isInPlace { return Self(raw: .from(optional: optional)) }
    return Self(raw: .from(optional: optional, scheduler: start))
  }

  /// A sequence made anew by `observableFactory` for each connection.
  @preconcurrency public static func deferred(_ observableFactory: @escaping @Sendable () -> Self)
    -> Self
  { Self(.deferred { observableFactory().source }) }
}

extension SharedSequence where Element: RxAbstractInteger {
  /// Counts up from zero, once in every `period`, the first after one `period`; never ends.
  public static func interval(_ period: RxTimeInterval) -> Self {
    Self(.interval(period, scheduler: SharingStrategy.scheduler))
  }

  /// Zero after `duration`, then counts on once in every `period`; never ends.
  public static func timer(_ duration: RxTimeInterval, period: RxTimeInterval) -> Self {
    Self(.timer(duration, period: period, scheduler: SharingStrategy.scheduler))
  }
}

/// Where drivers and signals deliver: the main queue, unless a test replaces it.
public enum SharingScheduler {
  @TaskLocal private static var replacement: (@Sendable () -> any SchedulerType)?

  /// Makes the scheduler that shared sequences made from now on deliver on.
  ///
  /// By default that is a new `MainScheduler` for each: elements of one sequence keep their order, and
  /// do not wait for other work on the main queue.
  public static var make: @Sendable () -> any SchedulerType { replacement ?? { MainScheduler() } }

  /// Lets shared sequences made during `action` deliver on `scheduler`.
  ///
  /// Other threads and tasks are not affected, so tests that run at the same time may each have a
  /// scheduler of their own. Tasks made in `action` inherit it, except for detached ones.
  public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
    try mock(makeScheduler: { scheduler }, action: action)
  }

  /// Lets shared sequences made during `action` deliver on what `makeScheduler` makes.
  ///
  /// Other threads and tasks are not affected, as by `mock(scheduler:action:)`.
  public static func mock(
    makeScheduler: @escaping @Sendable () -> any SchedulerType, action: () throws -> Void
  ) rethrows { try $replacement.withValue(makeScheduler, operation: action) }
}
