extension AsyncSequence where Element: Sendable, Self: Sendable {
  /// An observable of this sequence's elements.
  ///
  /// Every subscription iterates anew, in a task of its own, and delivers from it. It completes or
  /// fails with the sequence; disposal cancels the task, and nothing more is heard of it.
  public func asObservable() -> Observable<Element> {
    .create { observer in
      let task = Task {
        do {
          for try await element in self {
            if Task.isCancelled { return }
            observer.onNext(element)
          }
          observer.onCompleted()
        } catch is CancellationError where Task.isCancelled { return } catch {
          observer.onError(error)
        }
      }
      return Disposables.create { task.cancel() }
    }
  }
}

extension ObservableConvertibleType where Element: Sendable {
  /// The elements, one after the other, for `for try await`.
  ///
  /// It subscribes at once, and disposes of the subscription when the iteration or its task ends or
  /// the stream is released. Elements that come faster than they are taken wait, unbounded; `values(bufferingPolicy:)`
  /// sets a bound.
  public var values: AsyncThrowingStream<Element, any Error> { values(bufferingPolicy: .unbounded) }

  /// The elements, one after the other, for `for try await`; `limit` says how many may wait and which
  /// are dropped when more come.
  public func values(
    bufferingPolicy limit: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
  ) -> AsyncThrowingStream<Element, any Error> {
    let source = asObservable()
    return AsyncThrowingStream(bufferingPolicy: limit) { continuation in
      let subscription = source.subscribe(
        onNext: { continuation.yield($0) }, onError: { continuation.finish(throwing: $0) },
        onCompleted: { continuation.finish() }, onDisposed: { continuation.finish() })
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}

extension SharedSequence where Element: Sendable {
  /// The elements, one after the other, for `for await`; those that come faster than they are taken
  /// wait, unbounded.
  public var values: AsyncStream<Element> {
    let source = asObservable()
    return AsyncStream { continuation in
      let subscription = source.subscribe(
        onNext: { continuation.yield($0) }, onDisposed: { continuation.finish() })
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait, Element: Sendable {
  /// The element.
  ///
  /// Subscribes when it is awaited; cancellation of the task disposes of the subscription.
  ///
  /// - Throws: what the single fails with, or `CancellationError`.
  public var value: Element {
    get async throws {
      for try await element in source.values { return element }
      try Task.checkCancellation()
      throw RxError.noElements
    }
  }
}
