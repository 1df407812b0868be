import Synchronization

extension ObservableType {
  /// Emits what the observable made of the latest element emits; the one before is disposed of.
  ///
  /// Completes when the source and the latest have; the first error, or one thrown by `selector`, ends
  /// it and disposes of everything.
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
  /// Emits what the source's latest observable emits; the one before is disposed of.
  @inlinable public func switchLatest() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let latest = LatestMerger(down)
      latest.flatten(run) { $0 }
    }
  }
}

/// A merger in which a new observable takes the place of the one before.
@usableFromInline class LatestCore: MergerCore, @unchecked Sendable {
  // `lock` protects `current`: the latest, until it has ended. One that is marked is the latest no
  // more: what it brought from another thread may be let in when a new one has taken its place; what
  // it brought before it ended counts.
  private let lock = Lock()
  @exclusivity(unchecked) private final var current: Inner?

  @usableFromInline override init(_ lifetime: Lifetime, _ end: @escaping ((any Error)?) -> Void) {
    super.init(lifetime, end)
    lifetime.add(ActionDisposable { _ = self.exchange(nil) })
  }

  /// A place for the next one; the one before is disposed of.
  @usableFromInline final func replaced() -> Inner {
    let inner = Inner(self)
    if let before = exchange(inner) {
      before.isMarked.store(true, ordering: .relaxed)
      before.dispose()
    } else {
      live.add(1, ordering: .relaxed)
    }
    // They would keep each other.
    if lifetime.isDisposed { _ = exchange(nil) }
    return inner
  }

  /// Ends the latest, which nothing takes the place of; false when there was none.
  ///
  /// A call of `finish` is to follow when it is true.
  @inlinable final func endLatest() -> Bool {
    // Only the source is left.
    if live.load(ordering: .acquiring) == 1 { return false }
    return endRunning()
  }

  @usableFromInline final func endRunning() -> Bool {
    guard let before = exchange(nil) else { return false }
    before.isMarked.store(true, ordering: .relaxed)
    before.dispose()
    return true
  }

  override final func ended(_ inner: Inner, _ error: (any Error)?) {
    run(error) { unsafeDowncast(inner.merger, to: LatestCore.self).left(inner, $0) }
  }

  private final func left(_ inner: Inner, _ error: (any Error)?) {
    let isLatest = lock.withLock {
      if current !== inner { return false }
      current = nil
      return true
    }
    if isLatest { finish(error) }
  }

  private final func exchange(_ inner: Inner?) -> Inner? {
    lock.lock()
    defer { lock.unlock() }
    defer { current = inner }
    return current
  }
}

/// A merger in which a new observable takes the place of the one before.
@usableFromInline
final class LatestMerger<Element>: LatestCore, ObservableMerger, @unchecked Sendable {
  // Immutable.
  @usableFromInline let next: (Element) -> Void

  @inlinable init(_ down: Observer<Element>) {
    next = down.next
    super.init(down.lifetime, down.end)
  }

  /// Starts `source` in the place of the one before, outside the gate, where nobody has to wait for it.
  @inlinable func add(_ source: Observable<Element>) {
    switch source.shape {
    case .just(let element):
      let hadLatest = endLatest()
      run(element, next)
      if hadLatest { finish(nil) }
    case .empty:
      if endLatest() { finish(nil) }
    // The closure that made it may have ended everything.
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
