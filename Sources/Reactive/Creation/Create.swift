import Synchronization

extension ObservableType {
  /// Returns an observable that runs `subscribe` for each observer.
  ///
  /// The observer may be called on any thread, one call at a time. It ignores events after an
  /// error, a completion or disposal. The disposable that `subscribe` returns is disposed of when
  /// the subscription ends.
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

  /// Returns an observable that subscribes each observer to a new result of `observableFactory`.
  ///
  /// An error that `observableFactory` throws is sent to the observer.
  @preconcurrency @inlinable public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { down in down.runResult { try observableFactory() } }
  }

  /// Returns an observable that makes a resource for each observer.
  ///
  /// `observableFactory` makes the observable from the resource that `resourceFactory` made. An
  /// error that one of them throws is sent to the observer. The resource is disposed of after the
  /// subscription.
  @preconcurrency @inlinable public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { down in
      down.attempt {
        let resource = try resourceFactory()
        down.runResult { try observableFactory(resource) }
        down.lifetime.add(resource)
      }
    }
  }
}

/// Enforces the grammar for a source whose events the user sends.
@usableFromInline final class HandMadeSource<Element>: Sendable {
  // The type of the observer is not Sendable; `isOver` lets one terminal through.
  @usableFromInline nonisolated(unsafe) let down: Observer<Element>
  @usableFromInline let isOver = Atomic(false)

  @inlinable init(_ down: Observer<Element>) { self.down = down }

  @inlinable func next(_ element: Element) {
    if !isOver.load(ordering: .relaxed), !down.lifetime.isDisposed { down.next(element) }
  }

  @inlinable func end(_ error: (any Error)?) { last(.end(error)) }

  /// Ends the sequence, after an element if `event` has one.
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
