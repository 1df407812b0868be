extension ObservableType {
  /// Emits what all of `sequence` emit, one after the other.
  ///
  /// Each is subscribed when the one before has completed, and that one is let go of first. The first
  /// error ends it. A sequence may be of any length; observables that are nested in each other, here as
  /// with every operator, need a deeper stack with each level.
  ///
  ///            -a-b-|
  ///                  -1-2-|
  ///     concat -a-b---1-2-|
  @inlinable public static func concat<Sources: Sequence>(_ sequence: Sources)
    -> Observable<Element> where Sources.Element == Observable<Element>
  { chaining(sequence) { $0 == nil } }

  /// Emits what all `sources` emit, one after the other.
  @inlinable public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources[...])
  }

  /// Emits what the source emits and then what `second` emits.
  @inlinable public func concat<Source: ObservableConvertibleType>(_ second: Source)
    -> Observable<Element> where Source.Element == Element
  { .concat([asObservable(), second.asObservable()]) }

  /// Runs those of `sequence` one after the other, as long as `goesOn` says so of the end before.
  @inlinable static func chaining<Sources: Sequence>(
    _ sequence: Sources, goesOn: @escaping ((any Error)?) -> Bool
  ) -> Observable<Element> where Sources.Element == Observable<Element> {
    Observable { down in
      let rest = Cell(sequence.makeIterator())
      let chain = Chain(down) { error in
        if goesOn(error), let next = rest.value.next() { .run(next) } else { .end(error) }
      }
      if let first = rest.value.next() { chain.run(first) } else { down.end(nil) }
    }
  }
}
