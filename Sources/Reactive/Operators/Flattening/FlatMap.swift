extension ObservableType {
  /// Emits the elements of all observables made by `selector`, in the order in which they arrive.
  ///
  /// Completes when the source and all inner observables have completed. The first error, or one
  /// that `selector` throws, ends the result and disposes of the source and all inner observables.
  @preconcurrency @inlinable public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let merger = Merger(down)
      merger.flatten(run, selector)
    }
  }

  /// Runs the observables that `selector` makes of the elements one after the other, in order.
  ///
  /// `selector` is called when the element arrives. Its observable is queued, without a limit,
  /// while another one runs. A queued observable begins as separate work of the trampoline, on the
  /// thread on which the previous one has completed. Completes when the source and all inner
  /// observables have completed; the first error ends the result.
  @preconcurrency @inlinable public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> { merging(atMost: 1, selector) }
}
