/// How a shared sequence shares, and where it delivers.
public protocol SharingStrategyProtocol {
  /// Where elements are delivered.
  static var scheduler: any SchedulerType { get }

  /// Shares one subscription to `source` between all observers.
  static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

/// An observable that cannot fail, delivers on one scheduler and shares one subscription.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element> {
  @usableFromInline let source: Observable<Element>

  @inlinable init(_ source: Observable<Element>) { self.source = SharingStrategy.share(source) }

  @inlinable init(raw source: Observable<Element>) { self.source = source }
}

// Immutable, like the observable it wraps.
extension SharedSequence: @unchecked Sendable {}

/// Something that can be turned into a shared sequence.
public protocol SharedSequenceConvertibleType: ObservableConvertibleType {
  /// How it is shared.
  associatedtype SharingStrategy: SharingStrategyProtocol

  /// The shared sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequence: SharedSequenceConvertibleType {
  /// Itself.
  @inlinable public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }

  /// This sequence as an observable.
  @inlinable public func asObservable() -> Observable<Element> { source }
}

extension SharedSequenceConvertibleType {
  /// This sequence as an observable.
  @inlinable public func asObservable() -> Observable<Element> { asSharedSequence().asObservable() }
}

/// Where shared sequences deliver: the main queue, unless a test replaces it.
public enum SharingScheduler {
  private static let current = Locked<@Sendable () -> any SchedulerType>({ MainScheduler.instance })

  /// Makes the scheduler that shared sequences made from now on deliver on.
  public static var make: @Sendable () -> any SchedulerType { current.withLock { $0 } }

  /// Lets shared sequences made during `action` deliver on `scheduler`.
  public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
    try mock(makeScheduler: { scheduler }, action: action)
  }

  /// Lets shared sequences made during `action` deliver on what `makeScheduler` makes.
  public static func mock(
    makeScheduler: @escaping @Sendable () -> any SchedulerType, action: () throws -> Void
  ) rethrows {
    let before = current.withLock { current in
      defer { current = makeScheduler }
      return current
    }
    defer { current.withLock { $0 = before } }
    try action()
  }
}

extension SharedSequenceConvertibleType {
  /// What `selector` makes of each element.
  @preconcurrency @inlinable public func map<Result>(
    _ selector: @escaping @Sendable (Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> { SharedSequence(asObservable().map(selector)) }

  /// What `selector` makes of each element, less the nils.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ selector: @escaping @Sendable (Element) -> Result?
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(asObservable().compactMap(selector))
  }

  /// The elements for which `predicate` returns true.
  @preconcurrency @inlinable public func filter(_ predicate: @escaping @Sendable (Element) -> Bool)
    -> SharedSequence<SharingStrategy, Element>
  { SharedSequence(asObservable().filter(predicate)) }

  /// What `accumulator` makes of each element and its own result before, beginning with `seed`.
  @preconcurrency @inlinable public func scan<Accumulated>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) -> Accumulated
  ) -> SharedSequence<SharingStrategy, Accumulated> {
    SharedSequence(asObservable().scan(seed, accumulator: accumulator))
  }

  /// All but the first `count` elements.
  @inlinable public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().skip(count))
  }

  /// `element` first, then the elements of this sequence.
  @inlinable public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().startWith(element))
  }

  /// The elements that differ from the element before, as `comparer` sees it.
  @preconcurrency @inlinable public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().distinctUntilChanged(comparer))
  }

  /// The elements whose key differs from the key before.
  @preconcurrency @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().distinctUntilChanged(keySelector))
  }
}

extension SharedSequenceConvertibleType where Element: Equatable {
  /// The elements that differ from the element before.
  @inlinable public func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().distinctUntilChanged())
  }
}
