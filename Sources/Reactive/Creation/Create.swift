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
    handMade { source in subscribe(AnyObserver(next: { source.next($0) }, end: { source.end($0) }))
    }
  }

  @inlinable static func handMade(
    _ subscribe: @escaping (HandMadeSource<Element>) -> any Disposable
  ) -> Observable<Element> {
    Observable { down in down.lifetime.add(subscribe(HandMadeSource(down))) }
  }

  /// An observable made anew by `observableFactory` for each observer; an error it throws is the end.
  @preconcurrency @inlinable public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { down in down.attempt { try observableFactory().run(down) } }
  }

  /// An observable with a resource of its own for each observer, which is disposed of after the
  /// subscription.
  ///
  /// `observableFactory` makes the observable of the resource that `resourceFactory` has made; an error
  /// thrown by one of them is the end.
  @preconcurrency @inlinable public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { down in
      down.attempt {
        let resource = try resourceFactory()
        down.attempt { try observableFactory(resource).run(down) }
        down.lifetime.add(resource)
      }
    }
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

  @inlinable func end(_ error: (any Error)?) { last(.end(error)) }

  /// Ends, with an element or without one.
  @inlinable func last(_ event: Event<Element>) {
    if isOver.exchange(true, ordering: .acquiringAndReleasing) || down.lifetime.isDisposed {
      return
    }
    switch event {
    case .next(let element): down.last(element)
    case .error(let error): down.end(error)
    case .completed: down.end(nil)
    }
  }
}
