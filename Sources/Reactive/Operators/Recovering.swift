extension ObservableType {
  /// Continues with the observable that `handler` makes of an error.
  ///
  /// The failed source is disposed of first. An error thrown by `handler` ends the result.
  ///
  ///     source  -a--b--x
  ///     handler         --1--2-|
  ///     catch   -a--b----1--2-|
  @preconcurrency @inlinable public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
  ) -> Observable<Element> { catching(handler) }

  @usableFromInline func catching(_ handler: @escaping (any Error) throws -> Observable<Element>)
    -> Observable<Element>
  {
    let source = asObservable()
    return Observable { down in
      let isCaught = Cell(false)
      let chain = Chain(down) { error in
        guard let error, !isCaught.value else { return .end(error) }
        isCaught.value = true
        do { return .run(try handler(error)) } catch { return .end(error) }
      }
      chain.run(source)
    }
  }

  /// Emits `element` and completes instead of failing.
  @inlinable public func catchAndReturn(_ element: Element) -> Observable<Element> {
    let source = asObservable()
    return Observable { down in
      down.lifetime.run(
        source.run, next: down.next,
        end: { if $0 == nil { down.end(nil) } else { down.last(element) } })
    }
  }

  /// Subscribes again after each error, without end.
  @inlinable public func retry() -> Observable<Element> { retrying(attempts: nil) }

  /// Subscribes at most `maxAttemptCount` times in all; the last error passes.
  ///
  /// `retry(1)` does not try again, and `retry(0)` completes without subscribing at all, as in RxSwift.
  @inlinable public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    precondition(maxAttemptCount >= 0, "retry: the number of attempts cannot be negative.")
    return maxAttemptCount == 0 ? .empty() : retrying(attempts: maxAttemptCount)
  }

  @usableFromInline func retrying(attempts: Int?) -> Observable<Element> {
    let source = asObservable()
    return Observable { down in
      let left = Cell(attempts.map { $0 - 1 })
      let chain = Chain(down) { error in
        guard let error else { return .end(nil) }
        guard let count = left.value else { return .run(source) }
        left.value = count - 1
        return count > 0 ? .run(source) : .end(error)
      }
      chain.run(source)
    }
  }
}
