extension ObservableType {
  /// Emits what `transform` makes of each element.
  ///
  /// An error thrown by `transform` ends the result with that error and disposes of the source.
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

  /// Emits what `transform` makes of each element, less the nils.
  ///
  /// An error thrown by `transform` ends the result with that error and disposes of the source.
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

  /// Emits what `accumulator` makes of each element and its own result before, beginning with `seed`.
  ///
  /// An error thrown by `accumulator` ends the result with that error and disposes of the source.
  ///
  ///                -1--2--3-|
  ///     scan(0, +) -1--3--6-|
  @preconcurrency @inlinable public func scan<Accumulated>(
    _ seed: Accumulated,
    accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> {
    Observable<Accumulated> { [run] down in
      let accumulated = Cell(seed)
      run(
        down.with { element in
          down.attempt {
            accumulated.value = try accumulator(accumulated.value, element)
            down.next(accumulated.value)
          }
        })
    }
  }

  /// Emits the value that `accumulator` changes with each element, beginning with `seed`.
  ///
  /// An error thrown by `accumulator` ends the result with that error and disposes of the source.
  @preconcurrency @inlinable public func scan<Accumulated>(
    into seed: Accumulated,
    accumulator: @escaping @Sendable (inout Accumulated, Element) throws -> Void
  ) -> Observable<Accumulated> {
    Observable<Accumulated> { [run] down in
      let accumulated = Cell(seed)
      run(
        down.with { element in
          down.attempt {
            try accumulator(&accumulated.value, element)
            down.next(accumulated.value)
          }
        })
    }
  }

  /// Emits `elements` first, then what the source emits.
  @inlinable public func startWith(_ elements: Element...) -> Observable<Element> {
    Observable { [run] down in
      for element in elements {
        if down.lifetime.isDisposed { return }
        down.next(element)
      }
      run(down)
    }
  }
}
