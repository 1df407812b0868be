extension ObservableType {
  /// Emits the accumulated value of all elements when the source completes.
  ///
  /// `accumulator` receives the previous value, at first `seed`, and an element. An error that it
  /// throws ends the result and disposes of the source.
  ///
  ///                  -1--2--3-|
  ///     reduce(0, +) ---------(6|)
  @preconcurrency @inlinable public func reduce<Accumulated>(
    _ seed: Accumulated,
    accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> { reduce(seed, accumulator: accumulator) { $0 } }

  /// Emits the result of `mapResult` for the accumulated value when the source completes.
  ///
  /// An error that a closure throws ends the result and disposes of the source.
  @preconcurrency @inlinable public func reduce<Accumulated, Result>(
    _ seed: Accumulated,
    accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated,
    mapResult: @escaping @Sendable (Accumulated) throws -> Result
  ) -> Observable<Result> {
    stateful(
      from: seed, { $1.value = try accumulator($1.value, $2) },
      complete: { $0.last(try mapResult($1)) })
  }

  /// Emits all elements as an array when the source completes; an error passes at once.
  ///
  ///               -1--2--3-|
  ///     toArray() ---------[1, 2, 3]
  public func toArray() -> Single<[Element]> {
    Single(raw: stateful(from: [], { $1.value.append($2) }, complete: { $0.last($1) }))
  }
}
