import Synchronization

extension ObservableType {
  /// Emits the elements of the observable that `selector` makes of the latest element.
  ///
  /// The previous observable is disposed of. Completes when the source and the latest observable
  /// have completed. The first error, or one that `selector` throws, ends the result and disposes
  /// of both.
  ///
  ///     -a-------b----|
  ///      a-a-a-a  b-b-b-|
  ///     -a-a-a-a-b-b-b-|
  @preconcurrency @inlinable public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let latest = LatestMerger(down)
      latest.flatten(run, selector)
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits the elements of the source's latest observable; the previous one is disposed of.
  @inlinable public func switchLatest() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let latest = LatestMerger(down)
      latest.flatten(run) { $0 }
    }
  }
}

/// A merger in which a new observable replaces the previous one.
@usableFromInline class LatestCore: MergerCore, @unchecked Sendable {
  // `lock` protects `current`, the latest inner observable until it has ended. A marked one has
  // been replaced: its elements may still be queued at the gate, and are dropped there. The mark is
  // not the same as the close: elements queued before an observable's own end are delivered.
  private let lock = Lock()
  @exclusivity(unchecked) private final var current: Inner?
  /// Whether there is a `current`; written with the lock held.
  @usableFromInline final let hasCurrent = Atomic(false)

  @usableFromInline override init(_ lifetime: Lifetime, _ end: @escaping ((any Error)?) -> Void) {
    super.init(lifetime, end)
    lifetime.add(ActionDisposable { _ = self.exchange(nil) })
  }

  /// Returns the lifetime of a new inner observable; the previous one is disposed of.
  @usableFromInline final func replaced() -> Inner {
    let inner = Inner(self)
    if let before = exchange(inner) {
      before.isMarked.store(true, ordering: .relaxed)
      before.dispose()
    } else {
      live.add(1, ordering: .relaxed)
    }
    // The lifetime and `inner` would keep each other alive.
    if lifetime.isDisposed { _ = exchange(nil) }
    return inner
  }

  /// Ends the latest observable without a replacement; returns false when there was none.
  ///
  /// After true, the caller must call `finish`.
  @inlinable final func endLatest() -> Bool {
    hasCurrent.load(ordering: .acquiring) && endRunning()
  }

  @usableFromInline final func endRunning() -> Bool {
    guard let before = exchange(nil) else { return false }
    before.isMarked.store(true, ordering: .relaxed)
    before.dispose()
    return true
  }

  override final func ended(_ inner: Inner, _ error: (any Error)?) {
    run(error) { unsafeDowncast(inner.merger, to: LatestCore.self).innerEnded(inner, $0) }
  }

  private final func innerEnded(_ inner: Inner, _ error: (any Error)?) {
    let isLatest = lock.withLock {
      if current !== inner { return false }
      replaceCurrent(nil)
      return true
    }
    if isLatest { finish(error) }
  }

  private final func exchange(_ inner: Inner?) -> Inner? {
    lock.withLock {
      defer { replaceCurrent(inner) }
      return current
    }
  }

  /// Replaces the latest observable.
  ///
  /// The caller holds the lock.
  private final func replaceCurrent(_ inner: Inner?) {
    current = inner
    hasCurrent.store(inner != nil, ordering: .releasing)
  }
}

/// A merger in which a new observable replaces the previous one.
@usableFromInline
final class LatestMerger<Element>: LatestCore, ObservableMerger, @unchecked Sendable {
  // Immutable.
  @usableFromInline let next: (Element) -> Void

  @inlinable init(_ down: Observer<Element>) {
    next = down.next
    super.init(down.lifetime, down.end)
  }

  /// Replaces the previous observable by `source`.
  ///
  /// The subscription is outside the gate, so that other threads need not wait.
  @inlinable func add(_ source: Observable<Element>) {
    switch source.shape {
    case .just(let element):
      let hadLatest = endLatest()
      run(element, next)
      if hadLatest { finish(nil) }
    case .empty:
      if endLatest() { finish(nil) }
    // The closure that made `source` may have ended the subscription.
    default: if !lifetime.isDisposed { start(source) }
    }
  }

  @inlinable @inline(never) func start(_ source: Observable<Element>) {
    let inner = replaced()
    source.start(
      Observer(
        inner,
        next: { element in
          if inner.isClosed { return }
          inner.merger.run(element) { element in
            if inner.isMarked.load(ordering: .relaxed) { return }
            unsafeDowncast(inner.merger, to: LatestMerger.self).next(element)
          }
        }, end: { inner.end($0) }))
  }
}
