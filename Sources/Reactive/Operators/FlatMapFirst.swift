import Synchronization

extension ObservableType {
  /// Emits what the observable made of an element emits; elements that come while it runs are dropped.
  ///
  /// Completes when the source and the one that runs have; the first error, or one thrown by `selector`,
  /// ends it and disposes of everything.
  ///
  ///                  -a--b-----c----|
  ///                   -1--2-|   -3-|
  ///     flatMapFirst --1--2------3--|
  @preconcurrency @inlinable public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let merger = Merger(down)
      merger.subscribe(run) { element in
        // One is the source itself.
        if merger.live.load(ordering: .relaxed) > 1 { return }
        let source = try selector(element).asObservable()
        guard case .just = source.shape else { return merger.add(source) }
        // What is delivered at once runs until then.
        merger.live.add(1, ordering: .relaxed)
        merger.add(source)
        merger.finish(nil)
      }
    }
  }
}
