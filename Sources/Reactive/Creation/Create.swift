import Synchronization

extension ObservableType {
  /// An observable that runs `subscribe` for each observer.
  ///
  /// The observer may be called from any thread, one call at a time; nothing passes after an error, a
  /// completion or disposal. What `subscribe` returns is disposed of when the subscription ends.
  ///
  /// ```swift
  /// Observable<Int>.create { observer in
  ///   observer.onNext(1)
  ///   observer.onCompleted()
  ///   return Disposables.create()
  /// }
  /// ```
  @preconcurrency @inlinable public static func create(
    _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    Observable { down in
      let source = HandMadeSource(down)
      let observer = AnyObserver(next: { source.next($0) }, end: { source.end($0) })
      down.lifetime.add(subscribe(observer))
    }
  }

  /// An observable made anew by `observableFactory` for each observer; an error it throws is the end.
  @preconcurrency @inlinable public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { down in down.attempt { try observableFactory().run(down) } }
  }
}

/// Keeps the grammar for a source written by hand.
@usableFromInline final class HandMadeSource<Element>: Sendable {
  // An observer is not Sendable by its type; `isOver` lets one terminal through.
  @usableFromInline nonisolated(unsafe) let down: Observer<Element>
  @usableFromInline let isOver = Atomic(false)

  @inlinable init(_ down: Observer<Element>) { self.down = down }

  @inlinable func next(_ element: Element) {
    if !isOver.load(ordering: .relaxed), !down.lifetime.isDisposed { down.next(element) }
  }

  @inlinable func end(_ error: (any Error)?) {
    if isOver.exchange(true, ordering: .acquiringAndReleasing) || down.lifetime.isDisposed {
      return
    }
    down.end(error)
  }
}
