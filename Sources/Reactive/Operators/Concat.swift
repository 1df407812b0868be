extension ObservableType {
  /// Emits what all of `sequence` emit, one after the other.
  ///
  /// Each is subscribed when the one before has completed, and that one is let go of first. The first
  /// error ends it. A sequence may be of any length, and concatenations may be nested directly in each
  /// other as deep as there is memory; with another operator between them they need a deeper stack with
  /// each level, as all operators do.
  ///
  ///            -a-b-|
  ///                  -1-2-|
  ///     concat -a-b---1-2-|
  @inlinable public static func concat<Sources: Sequence>(_ sequence: Sources)
    -> Observable<Element> where Sources.Element == Observable<Element>
  {
    Concatenation(
      ConcatenatedSources {
        var rest = sequence.makeIterator()
        return { rest.next() }
      })
  }

  /// Emits what all `sources` emit, one after the other.
  @inlinable public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources[...])
  }

  /// Emits what the source emits and then what `second` emits.
  @inlinable public func concat<Source: ObservableConvertibleType>(_ second: Source)
    -> Observable<Element> where Source.Element == Element
  { .concat([asObservable(), second.asObservable()]) }
}

/// What `concat` makes.
@usableFromInline final class Concatenation<Element>: Observable<Element>, @unchecked Sendable {
  // Immutable.
  fileprivate let sources: ConcatenatedSources<Element>

  @usableFromInline init(_ sources: ConcatenatedSources<Element>) {
    self.sources = sources
    super.init(.concatenation) { sources.run($0) }
  }
}

/// Observables one after the other; a concatenation among them stands for its own ones.
@usableFromInline final class ConcatenatedSources<Element> {
  /// In a struct: generic code would hand a closure out with one more around it, which keeps it.
  private struct Sequence { let makeIterator: () -> () -> Observable<Element>? }

  // Written once, by `deinit`.
  private var sequence: Sequence?

  @usableFromInline init(_ makeIterator: @escaping () -> () -> Observable<Element>?) {
    sequence = Sequence(makeIterator: makeIterator)
  }

  deinit { Trampoline.current.release(&sequence) }

  private func iterator() -> () -> Observable<Element>? { sequence?.makeIterator() ?? { nil } }

  fileprivate func run(_ down: Observer<Element>) {
    // The innermost is the last one.
    let rest = Cell([iterator()])
    func following() -> Observable<Element>? {
      while let innermost = rest.value.last {
        guard let source = innermost() else {
          rest.value.removeLast()
          continue
        }
        guard source.kind == .concatenation else { return source }
        let nested = unsafeDowncast(source, to: Concatenation<Element>.self)
        rest.value.append(nested.sources.iterator())
      }
      return nil
    }
    let chain = Chain(down) { error in
      if error == nil, let next = following() { .run(next) } else { .end(error) }
    }
    if let first = following() { chain.run(first) } else { down.end(nil) }
  }
}
