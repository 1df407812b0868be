extension ObservableType {
  /// Emits the elements for which `predicate` returns true.
  ///
  /// An error that `predicate` throws ends the result and disposes of the source.
  ///
  ///                       -1--2--3--4-|
  ///     filter { $0 > 2 } -------3--4-|
  @preconcurrency @inlinable public func filter(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    Observable { [run] down in
      run(
        down.with { element in down.attempt { if try predicate(element) { down.next(element) } } })
    }
  }

  /// Passes the end, and drops all elements.
  @inlinable public func ignoreElements() -> Observable<Never> {
    Observable<Never> { [run] down in run(down.with { _ in }) }
  }
}
