extension CombinableType {
  /// Emits the result of `resultSelector` for the elements of all sources in step, as for two.
  ///
  /// Also completes when the only running source emits while another source has no element left,
  /// since no result can follow. An empty collection completes at once.
  @preconcurrency @inlinable public static func zip<Sources: Collection, Item>(
    _ collection: Sources,
    resultSelector: @escaping @Sendable ([Item]) throws(SelectorError) -> Element
  ) -> Combined where Sources.Element: Peer<Item> {
    if collection.isEmpty { return combined(Combination(.empty())) }
    return combining { state in
      let sources = collection.map(state.queue)
      state.endsEarly = true
      return { try resultSelector(sources.map { $0() }) }
    }
  }
}

extension ObservableType {
  /// Emits the elements of all `sources` in step as an array, as `zip` of two does.
  @inlinable public static func zip<C: Collection>(_ sources: C) -> Observable<[Element]>
  where C.Element: Peer<Element> { .zip(sources) { $0 } }
}
