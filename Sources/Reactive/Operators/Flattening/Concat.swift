extension ObservableType {
  /// Emits the elements of all observables of `sequence`, one observable after the other.
  ///
  /// Each is subscribed to when the previous one has completed and is released. The first error
  /// ends the result. The sequence may have any length. Concatenations may be nested directly in
  /// each other without a limit other than memory. With another operator between them, each level
  /// needs more stack, as with all operators.
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

  /// Emits the elements of all `sources`, one observable after the other.
  @inlinable public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources[...])
  }

  /// Emits the elements of the source and then those of `second`.
  @inlinable public func concat<Source: ObservableConvertibleType>(_ second: Source)
    -> Observable<Element> where Source.Element == Element
  { .concat([asObservable(), second.asObservable()]) }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Runs the source's observables one after the other, in order.
  @inlinable public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

/// The observable that `concat` returns.
@usableFromInline final class Concatenation<Element>: Observable<Element>, @unchecked Sendable {
  // Immutable.
  fileprivate let sources: ConcatenatedSources<Element>

  @usableFromInline init(_ sources: ConcatenatedSources<Element>) {
    self.sources = sources
    super.init(.concatenation) { sources.run($0) }
  }
}

/// Observables one after the other; a nested concatenation is replaced by its own observables.
@usableFromInline final class ConcatenatedSources<Element> {
  /// A struct, because generic code adds a lasting wrapper to each closure that it returns.
  private struct IteratorFactory { let makeIterator: () -> () -> Observable<Element>? }

  // Released once, by `deinit`.
  private var iterators: IteratorFactory?

  @usableFromInline init(_ makeIterator: @escaping () -> () -> Observable<Element>?) {
    iterators = IteratorFactory(makeIterator: makeIterator)
  }

  deinit { Trampoline.current.release(&iterators) }

  private func iterator() -> () -> Observable<Element>? { iterators?.makeIterator() ?? { nil } }

  fileprivate func run(_ down: Observer<Element>) {
    // The last iterator is that of the innermost concatenation.
    let rest = Ref([iterator()])
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
    let runner = SequentialRunner(down, continues: { $0 == nil }) { _ in
      if let next = following() { .run(next) } else { .end(nil) }
    }
    if let first = following() { runner.run(first) } else { down.end(nil) }
  }
}
