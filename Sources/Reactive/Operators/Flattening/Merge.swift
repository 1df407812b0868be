extension ObservableType {
  /// Emits the elements of all `sources` in the order in which they arrive.
  ///
  /// Completes when all sources have completed. The first error ends the result and disposes of the
  /// other sources. Sources may emit on different threads: one element is delivered at a time. A
  /// thread waits for another one only where elements arrive faster than they are delivered
  /// (<doc:Contract>).
  ///
  ///           -a-----b--|
  ///           ---1-2------|
  ///     merge -a-1-2-b----|
  ///
  /// - Parameter sources: observables to subscribe to, in order; an empty collection completes at
  ///   once
  @inlinable public static func merge<Sources: Collection>(_ sources: Sources)
    -> Observable<Element> where Sources.Element == Observable<Element>
  {
    Observable { down in
      let merger = Merger(down)
      for source in sources {
        if down.lifetime.isDisposed { return }
        merger.add(source)
      }
      merger.finish(nil)
    }
  }

  /// Emits the elements of all `sources` in the order in which they arrive.
  ///
  /// - Parameter sources: observables to subscribe to, in order; without any, the result completes
  @inlinable public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }

  /// Emits the elements of all `sources` in the order in which they arrive.
  ///
  /// - Parameters:
  ///   - sources: observables to subscribe to, in order
  ///   - delayErrors: whether the other sources continue when one fails; the result then ends with
  ///     the first error, once all sources have ended
  @inlinable public static func merge<Sources: Collection>(_ sources: Sources, delayErrors: Bool)
    -> Observable<Element> where Sources.Element == Observable<Element>
  {
    if !delayErrors { return merge(sources) }
    return delaying { error, down in
      merge(sources.map { error.delayed($0) }).run(down)
    }
  }

  @inlinable static func delaying(
    _ run: @escaping (DelayedError, Observer<Element>) -> Void
  ) -> Observable<Element> {
    Observable { down in
      let error = DelayedError()
      let end: ((any Error)?) -> Void = { down.end($0 ?? error.first) }
      run(error, Observer(down.lifetime, next: down.next, end: end))
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits the elements of all observables of the source, in the order in which they arrive.
  @inlinable public func merge() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let merger = Merger(down)
      merger.flatten(run) { $0 }
    }
  }

  /// Emits the elements of all observables of the source, in the order in which they arrive.
  ///
  ///                             -a---b----|
  ///                              -1-x
  ///                                  -2---3-|
  ///     merge(delayErrors: true) --1--2---3-x
  ///
  /// - Parameter delayErrors: whether the others continue when an inner observable or the source
  ///   fails; the result then ends with the first error, once all have ended
  @inlinable public func merge(delayErrors: Bool) -> Observable<Element.Element> {
    if !delayErrors { return merge() }
    let source = asObservable()
    return Observable<Element.Element>.delaying { error, down in
      let merger = Merger(down)
      merger.flatten(error.delayed(source).run) { error.delayed($0.asObservable()) }
    }
  }

  /// Emits the elements of the source's observables, and runs at most `maxConcurrent` at a time.
  ///
  /// Further observables are queued in order, without a limit. A queued observable begins as
  /// separate work of the trampoline, on the thread on which another one has completed.
  ///
  /// - Parameter maxConcurrent: number of observables that run at a time; less than 1 counts as 1
  @inlinable public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    merging(atMost: maxConcurrent) { $0 }
  }
}

/// The first error of several observables that complete instead of failing.
@usableFromInline final class DelayedError: Sendable {
  private let error = Locked<(any Error)?>(nil)

  @usableFromInline init() {}

  @usableFromInline var first: (any Error)? { error.withLock { $0 } }

  private func note(_ error: (any Error)?) {
    guard let error else { return }
    self.error.withLock { if $0 == nil { $0 = error } }
  }

  /// Returns `source` with completion in place of an error, which is noted.
  @usableFromInline func delayed<Element>(_ source: Observable<Element>) -> Observable<Element> {
    Observable(.direct) { down in
      let end: ((any Error)?) -> Void = {
        if !down.lifetime.isDisposed { self.note($0) }
        down.end(nil)
      }
      source.start(Observer(down.lifetime, next: down.next, end: end))
    }
  }
}
