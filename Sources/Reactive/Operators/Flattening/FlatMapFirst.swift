import Synchronization

extension ObservableType {
  /// Emits the elements of the observable that `selector` makes of an element.
  ///
  /// Elements that arrive while that observable runs are dropped. Completes when the source and the
  /// running observable have completed. The first error, or one that `selector` throws, ends the
  /// result and disposes of both.
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
        // The source itself counts as one.
        if merger.live.load(ordering: .relaxed) > 1 { return }
        let source = try selector(element).asObservable()
        guard case .just = source.shape else { return merger.add(source) }
        // The element counts as a running observable while it is delivered.
        merger.live.add(1, ordering: .relaxed)
        merger.add(source)
        merger.finish(nil)
      }
    }
  }
}
