extension ObservableType {
  /// Continues with the observable that `handler` makes of an error.
  ///
  /// The failed source is disposed of after the subscription to that observable, so a connection
  /// that both share stays open. An error that `handler` throws ends the result.
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
      let attempt = down.lifetime.child()
      let end = { (error: (any Error)?) in
        guard attempt.close() else { return }
        if let error { down.runResult { try handler(error) } } else { down.end(nil) }
        attempt.release()
      }
      source.start(
        Observer(attempt, next: { if !attempt.isClosed { down.next($0) } }, end: end))
    }
  }

  /// Runs the first observable of `sequence`, and after each error the next one.
  ///
  /// Ends with the first observable that completes, or with the error of the last one. A failed
  /// observable is disposed of before the next one is subscribed to.
  @inlinable public static func `catch`<Sources: Sequence>(sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    Observable { down in
      let rest = Ref(sequence.makeIterator())
      let runner = SequentialRunner(down, continues: { $0 != nil }) { error in
        if let next = rest.value.next() { .run(next) } else { .end(error) }
      }
      if let first = rest.value.next() { runner.run(first) } else { down.end(nil) }
    }
  }

  /// Emits `element` and completes instead of failing.
  @inlinable public func catchAndReturn(_ element: Element) -> Observable<Element> {
    catching { _ in .just(element) }
  }
}
