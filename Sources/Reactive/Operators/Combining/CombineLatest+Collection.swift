extension CombinableType {
  /// Emits the result of `resultSelector` for the latest elements of all sources, as for two.
  ///
  /// For an empty collection it emits the result for no elements, and completes.
  @preconcurrency @inlinable public static func combineLatest<Sources: Collection, Item>(
    _ collection: Sources,
    resultSelector: @escaping @Sendable ([Item]) throws(SelectorError) -> Element
  ) -> Combined where Sources.Element: Peer<Item> {
    combining { state in
      let sources = collection.map(state.latest)
      if sources.isEmpty { _ = state.latest(Observable.just(())) }
      return { try resultSelector(sources.map { $0() }) }
    }
  }
}

extension ObservableType {
  /// Emits the latest elements of all `sources` as an array, as `combineLatest` of two does.
  @inlinable public static func combineLatest<C: Collection>(_ sources: C) -> Observable<[Element]>
  where C.Element: Peer<Element> { .combineLatest(sources) { $0 } }
}
