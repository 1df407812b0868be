extension ObservableType {
  /// Emits the result of `resultSelector` for `obj` and each element.
  ///
  /// `obj` is held weakly. The first element that arrives after its release completes the result
  /// and disposes of the source.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject & Sendable, Out>(
    _ obj: Object, resultSelector: @escaping @Sendable ((Object, Element)) -> Out
  ) -> Observable<Out> {
    Observable<Out> { [run, weak obj] down in
      run(
        down.with { [weak obj] element in
          if let obj { down.next(resultSelector((obj, element))) } else { down.end(nil) }
        })
    }
  }

  /// Emits `obj`, which is held weakly, and each element as a tuple.
  ///
  /// The first element that arrives after the release of `obj` completes the result.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject & Sendable>(_ obj: Object)
    -> Observable<(Object, Element)>
  { withUnretained(obj) { ($0, $1) } }
}
