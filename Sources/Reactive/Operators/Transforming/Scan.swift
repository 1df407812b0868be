extension ObservableType {
  /// Emits the result of `accumulator` for the previous result, at first `seed`, and each element.
  ///
  /// An error that `accumulator` throws ends the result and disposes of the source.
  ///
  ///                -1--2--3-|
  ///     scan(0, +) -1--3--6-|
  @preconcurrency @inlinable public func scan<Accumulated>(
    _ seed: Accumulated,
    accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> {
    stateful(from: seed) { down, accumulated, element in
      // `value` is not accessed during the call, which may emit to this operator again.
      accumulated.value = try accumulator(accumulated.value, element)
      down.next(accumulated.value)
    }
  }

  /// Emits a value, at first `seed`, after each change that `accumulator` makes for an element.
  ///
  /// An error that `accumulator` throws ends the result and disposes of the source. `accumulator`
  /// must not send to the source, which would change the value within a change: that traps, as in
  /// RxSwift.
  @preconcurrency @inlinable public func scan<Accumulated>(
    into seed: Accumulated,
    accumulator: @escaping @Sendable (inout Accumulated, Element) throws -> Void
  ) -> Observable<Accumulated> {
    Observable<Accumulated> { [run] down in
      var accumulated = seed
      run(
        down.with { element in
          down.attempt {
            try accumulator(&accumulated, element)
            down.next(accumulated)
          }
        })
    }
  }
}
