extension AsyncSequence where Element: Sendable, Self: Sendable {
  /// Returns an observable of this sequence's elements.
  ///
  /// Every subscription iterates in its own task, which delivers the elements. The observable
  /// completes or fails with the sequence. Disposal cancels the task, and nothing more is
  /// delivered. While the full buffer of `observe(on:buffer:)` or `values(buffer:)` suspends the
  /// source, the task waits before it takes the next element.
  ///
  /// - Parameters:
  ///   - detached: whether the task inherits neither the priority nor the task-local values of the
  ///     subscribing task; false by default. No task inherits the actor of the subscriber.
  ///   - priority: priority of the task; nil, the default, is the priority of the subscribing task
  ///     or, for a detached task, that of the system
  public func asObservable(detached: Bool = false, priority: TaskPriority? = nil) -> Observable<
    Element
  > {
    Observable { down in
      let lifetime = down.lifetime
      let backpressure = lifetime.backpressure
      down.run(detached: detached, priority: priority) { next in
        await backpressure?.room(in: lifetime)
        for try await element in self {
          if Task.isCancelled { return }
          next(element)
          await backpressure?.room(in: lifetime)
        }
      }
    }
  }
}

extension ObservableConvertibleType {
  /// The closure by which the `work` of `create` emits an element.
  public typealias ElementObserver<Element> = @Sendable (Element) -> Void

  // Disfavored: the `create` whose closure returns a disposable comes first.

  /// Returns an observable that runs `work` in its own task for each observer.
  ///
  /// The task delivers the elements. The observable completes when `work` returns, and fails with
  /// the error that `work` throws. Disposal cancels the task, and nothing more is delivered. A full
  /// buffer does not suspend `work`.
  ///
  /// - Parameters:
  ///   - detached: whether the task inherits neither the priority nor the task-local values of the
  ///     subscribing task; false by default. No task inherits the actor of the subscriber.
  ///   - priority: priority of the task
  ///   - work: calls its argument with each element
  @_disfavoredOverload public static func create(
    detached: Bool = false, priority: TaskPriority? = nil,
    work: @escaping @Sendable (_ observer: @escaping ElementObserver<Element>) async throws -> Void
  ) -> Observable<Element> {
    Observable { $0.run(detached: detached, priority: priority, work) }
  }
}

extension Observer {
  /// Runs `work` in a task, which disposal cancels; the end of `work` is the end of the sequence.
  fileprivate func run(
    detached: Bool, priority: TaskPriority?,
    _ work: @escaping @Sendable (_ next: @escaping @Sendable (Element) -> Void) async throws -> Void
  ) {
    let source = HandMadeSource(self)
    let task = Disposables.task(detached: detached, priority: priority) {
      do {
        try await work { source.next($0) }
        source.end(nil)
      } catch { source.end(error) }
    }
    lifetime.add(task)
  }
}

extension Disposables {
  /// Runs `operation` in a task, which disposal cancels.
  fileprivate static func task(
    detached: Bool, priority: TaskPriority?, operation: @escaping @Sendable () async -> Void
  ) -> ActionDisposable {
    // Nil, which is the task pool, unless the process runs tests.
    let executor = TestProcessExecutor.preference
    let task =
      detached
      ? Task.detached(executorPreference: executor, priority: priority, operation: operation)
      : Task(executorPreference: executor, priority: priority, operation: operation)
    return ActionDisposable { task.cancel() }
  }
}

extension ObservableConvertibleType where Element: Sendable {
  /// The elements as an async sequence, for `for try await`.
  ///
  /// The sequence subscribes at once. The subscription ends with the observable, when a task that
  /// waits for an element is cancelled, or when the stream and its iterators are released: a stream
  /// that is still held after `break` goes on buffering. If a subject is released without an end, the
  /// iteration waits until its task is cancelled. Elements that arrive faster than they are taken are buffered, without a
  /// limit; `values(bufferingPolicy:)` sets one. When the task is cancelled, the iteration throws
  /// `CancellationError` after the buffered elements.
  public var values: AsyncThrowingStream<Element, any Error> { values(bufferingPolicy: .unbounded) }

  /// Returns the elements as an async sequence with a buffering policy.
  ///
  /// `policy` sets how many elements may be buffered, and which are dropped when more arrive. When
  /// the task is cancelled, the iteration throws `CancellationError`.
  public func values(
    bufferingPolicy policy: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
  ) -> AsyncThrowingStream<Element, any Error> { stream(policy) { _ in } }

  /// Returns the elements as a stream; an error that `check` throws for a yield result ends it.
  func stream(
    _ policy: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy,
    _ check:
      @escaping @Sendable (
        AsyncThrowingStream<Element, any Error>.Continuation.YieldResult
      ) throws -> Void
  ) -> AsyncThrowingStream<Element, any Error> {
    let source = asObservable()
    return AsyncThrowingStream(bufferingPolicy: policy) { continuation in
      let subscription = source.map { try check(continuation.yield($0)) }.subscribe(
        onError: { continuation.finish(throwing: $0) },
        onCompleted: { continuation.finish() },
        // Has no effect after an end, which finishes the stream first.
        onDisposed: { continuation.finish(throwing: CancellationError()) })
      continuation.onTermination = { reason in
        subscription.dispose()
        // The stream calls this before it finishes itself without an error. When the observable is
        // about to end, the disposal has no effect, and does not finish the stream either.
        if case .cancelled = reason { continuation.finish(throwing: CancellationError()) }
      }
    }
  }
}

extension SharedSequence where Element: Sendable {
  /// The elements as an async sequence, for `for await`.
  ///
  /// Elements that arrive faster than they are taken are buffered, without a limit. When the task is
  /// cancelled, the iteration ends.
  public var values: AsyncStream<Element> {
    let source = asObservable()
    return AsyncStream { continuation in
      let subscription = source.subscribe(
        onNext: { continuation.yield($0) }, onDisposed: { continuation.finish() })
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Returns a single of the result of `work`; an error that `work` throws is its failure.
  ///
  /// Every subscription runs `work` in its own task, and disposal cancels the task. A `detached`
  /// task inherits neither the priority nor the task-local values of the subscribing task. No task
  /// inherits the actor of the subscriber.
  @preconcurrency public static func create(
    detached: Bool = false, priority: TaskPriority? = nil,
    work: @escaping @Sendable () async throws -> Element
  ) -> Self {
    create { observer in
      Disposables.task(detached: detached, priority: priority) {
        do { observer(.success(try await work())) } catch { observer(.failure(error)) }
      }
    }
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element: Sendable {
  /// Subscribes and returns the element.
  ///
  /// Cancellation of the task disposes of the subscription.
  ///
  /// - Throws: error of the single; `RxError.noElements` when it completes without an element, as
  ///   one with `retry(0)` does; `CancellationError` when the task is cancelled before the single
  ///   ends.
  public var value: Element {
    get async throws {
      guard let only = try await primitiveSequence.firstElement else { throw RxError.noElements }
      return only
    }
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element: Sendable {
  /// Subscribes and returns the element, or nil when the maybe completes without one.
  ///
  /// Cancellation of the task disposes of the subscription.
  ///
  /// - Throws: error of the maybe, or `CancellationError` when the task is cancelled before the
  ///   maybe ends.
  public var value: Element? { get async throws { try await primitiveSequence.firstElement } }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Subscribes, and returns when the completable has completed.
  ///
  /// Cancellation of the task disposes of the subscription.
  ///
  /// - Throws: error of the completable, or `CancellationError` when the task is cancelled before
  ///   the completable ends.
  public var value: Void { get async throws { _ = try await primitiveSequence.firstElement } }
}

extension PrimitiveSequence where Element: Sendable {
  /// The first element, or nil when the sequence completes without one.
  fileprivate var firstElement: Element? {
    get async throws {
      for try await element in source.values { return element }
      return nil
    }
  }
}
