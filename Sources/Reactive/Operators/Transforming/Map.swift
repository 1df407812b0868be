extension ObservableType {
  /// Emits the result of `transform` for each element.
  ///
  /// An error that `transform` throws ends the result and disposes of the source.
  ///
  ///                -1--2--3-|
  ///     map { $0*2 } -2--4--6-|
  @preconcurrency @inlinable public func map<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      run(down.with { element in down.attempt { down.next(try transform(element)) } })
    }
  }

  /// Emits the result of `transform` for each element, except nil.
  ///
  /// An error that `transform` throws ends the result and disposes of the source.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      run(
        down.with { element in
          down.attempt { if let result = try transform(element) { down.next(result) } }
        })
    }
  }

  /// Emits each element with its number, counted from zero.
  ///
  ///                  -a------b------c------|
  ///     enumerated() -(0, a)-(1, b)-(2, c)-|
  @inlinable public func enumerated() -> Observable<(index: Int, element: Element)> {
    stateful(from: 0) { down, count, element in
      let index = count.value
      count.value += 1
      down.next((index, element))
    }
  }
}
