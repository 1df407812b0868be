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
      latest.subscribe(run) { latest.replace(with: try selector($0).asObservable()) }
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits what the source's latest observable emits; the one before is disposed of.
  @inlinable public func switchLatest() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let latest = LatestMerger(down)
      latest.subscribe(run) { latest.replace(with: $0.asObservable()) }
    }
  }
}

/// A merger in which a new observable takes the place of the one before.
@usableFromInline final class LatestMerger<Element>: Merger<Element>, @unchecked Sendable {
  /// One that runs: what it brought from another thread may be let in when a new one has taken its
  /// place; what it brought before it ended counts.
  private final class Turn: Inner<Element>, @unchecked Sendable {
    let isLatest = Atomic(true)
    private let latest: LatestMerger

    init(_ latest: LatestMerger) {
      self.latest = latest
      super.init(latest)
    }

    func nextOfLatest(_ element: Element) {
      latest.run(element) {
        if self.isLatest.load(ordering: .relaxed) { self.latest.down.next($0) }
      }
    }

    override func ended(_ error: (any Error)?) {
      latest.run(error) { if self.latest.leave(self) { self.latest.finish($0) } }
    }
  }

  // The latest, until it has ended.
  private let current = Locked<Turn?>(nil)

  @usableFromInline override init(_ down: Observer<Element>) { super.init(down) }

  /// Starts `source` outside the gate, where nobody has to wait for it.
  @usableFromInline func replace(with source: Observable<Element>) {
    if down.lifetime.isDisposed { return }
    let turn = Turn(self)
    let before = current.withLock { current in
      let before = current
      current = turn
      before?.isLatest.store(false, ordering: .relaxed)
      return before
    }
    if let before { before.dispose() } else { live.add(1, ordering: .relaxed) }
    source.start(Observer(turn, next: { turn.nextOfLatest($0) }, end: { turn.end($0) }))
    down.lifetime.adopt(turn)
  }

  /// Whether `turn` was the latest to its end.
  private func leave(_ turn: Turn) -> Bool {
    current.withLock { current in
      guard current === turn else { return false }
      current = nil
      return true
    }
  }
}
