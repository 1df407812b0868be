extension ObservableType {
  /// Emits what the observable made of the latest element emits; the one before is disposed of.
  ///
  /// Completes when the source and the latest have; the first error, or one thrown by `selector`, ends
  /// it and disposes of everything.
  ///
  ///     -a-------b----|
  ///      a-a-a-a  b-b-b-|
  ///     -a-a-a-a-b-b-b-|
  @preconcurrency
  @inlinable
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let latest = LatestMerger(down)
      latest.subscribe(run) { latest.replace(with: try selector($0).asObservable()) }
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits what the source's latest observable emits; the one before is disposed of.
  @inlinable
  public func switchLatest() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let latest = LatestMerger(down)
      latest.subscribe(run) { latest.replace(with: $0.asObservable()) }
    }
  }
}

/// A merger in which a new observable takes the place of the one before.
@usableFromInline
final class LatestMerger<Element>: Merger<Element>, @unchecked Sendable {
  // Touched only inside the gate.
  @exclusivity(unchecked) private var current: Inner<Element>?

  @usableFromInline
  override init(_ down: Observer<Element>) { super.init(down) }

  @usableFromInline
  func replace(with source: Observable<Element>) {
    run(source) { source in
      let inner = Inner(self)
      let before = self.current
      self.current = inner
      if before == nil { self.live += 1 }
      before?.dispose()
      source.start(self.observer(of: inner))
      self.down.lifetime.adopt(inner)
    }
  }

  /// Lets through what `inner` emits while it is the latest; asked inside the gate, for what another
  /// thread brought may have waited while a new one took its place.
  private func observer(of inner: Inner<Element>) -> Observer<Element> {
    inner.observer(
      next: guarded { if self.current === inner { self.down.next($0) } },
      end: guarded { error in
        guard self.current === inner else { return }
        self.current = nil
        self.finish(error)
      }
    )
  }
}
