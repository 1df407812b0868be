extension AsyncSequence where Element: Sendable, Self: Sendable {
  /// An observable of this sequence's elements.
  ///
  /// Every subscription iterates anew, in a task of its own, and delivers from it. It completes or
  /// fails with the sequence; disposal cancels the task, and nothing more is heard of it.
  ///
  /// - Parameters:
  ///   - detached: whether the task inherits nothing from the one that subscribes.
  ///   - priority: the task's priority; that of who subscribes by default, or the system's where it is detached.
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
  /// Receives elements.
  public typealias ElementObserver<Element> = @Sendable (Element) -> Void

  /// An observable that runs `work` for each observer, in a task of its own, and delivers from it.
  ///
  /// It completes when `work` returns and fails with the error that it throws; disposal cancels the
  /// task, and nothing more is heard of it.
  ///
  /// - Parameters:
  ///   - detached: whether the task inherits nothing from the one that subscribes.
  ///   - priority: the task's priority.
  ///   - work: calls its argument with each element.
  @_disfavoredOverload public static func create(
    detached: Bool = false, priority: TaskPriority? = nil,
    work: @escaping @Sendable (_ observer: @escaping ElementObserver<Element>) async throws -> Void
  ) -> Observable<Element> {
    Observable { $0.run(detached: detached, priority: priority, work) }
  }
}

extension Observer {
  /// Runs `work` in a task, which disposal cancels, and ends with it.
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
    let executor = TestProcessExecutor.preference
    let task =
      detached
      ? Task.detached(executorPreference: executor, priority: priority, operation: operation)
      : Task(executorPreference: executor, priority: priority, operation: operation)
    return ActionDisposable { task.cancel() }
  }
}

extension ObservableConvertibleType where Element: Sendable {
  /// The elements, one after the other, for `for try await`.
  ///
  /// It subscribes at once, and disposes of the subscription when the iteration or its task ends or
  /// the stream is released. Elements that come faster than they are taken wait, unbounded; `values(bufferingPolicy:)`
  /// sets a bound. When the task is cancelled the iteration throws `CancellationError`, behind the elements that wait.
  public var values: AsyncThrowingStream<Element, any Error> { values(bufferingPolicy: .unbounded) }

  /// The elements, one after the other, for `for try await`; `limit` says how many may wait and which
  /// are dropped when more come.
  ///
  /// When the task is cancelled the iteration throws `CancellationError`.
  public func values(
    bufferingPolicy limit: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
  ) -> AsyncThrowingStream<Element, any Error> { stream(limit) { _ in } }

  /// The elements; `check` is called with what became of each, and an error that it throws is the end.
  func stream(
    _ limit: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy,
    _ check:
      @escaping @Sendable (
        AsyncThrowingStream<Element, any Error>.Continuation.YieldResult
      ) throws -> Void
  ) -> AsyncThrowingStream<Element, any Error> {
    let source = asObservable()
    return AsyncThrowingStream(bufferingPolicy: limit) { continuation in
      let subscription = source.map { try check(continuation.yield($0)) }.subscribe(
        onError: { continuation.finish(throwing: $0) },
        onCompleted: { continuation.finish() },
        // The end comes first, where there is one.
        onDisposed: { continuation.finish(throwing: CancellationError()) })
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

extension PrimitiveSequence where Trait == SingleTrait {
  /// A single of what `work` returns; an error it throws is the end.
  ///
  /// Every subscription runs `work` in a task of its own, and disposal cancels it. A `detached` one
  /// inherits neither the priority nor the task-local values of whoever subscribes; neither runs on the
  /// actor that does.
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
  /// The element.
  ///
  /// Subscribes when it is awaited; cancellation of the task disposes of the subscription.
  ///
  /// - Throws: what the single fails with, or `CancellationError` when the task is cancelled before it ends.
  public var value: Element {
    get async throws {
      guard let only = try await primitiveSequence.only else { throw RxError.noElements }
      return only
    }
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element: Sendable {
  /// The element, or nil when there is none.
  ///
  /// Subscribes when it is awaited; cancellation of the task disposes of the subscription.
  ///
  /// - Throws: what the maybe fails with, or `CancellationError` when the task is cancelled before it ends.
  public var value: Element? { get async throws { try await primitiveSequence.only } }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Returns when the completable has completed.
  ///
  /// Subscribes when it is awaited; cancellation of the task disposes of the subscription.
  ///
  /// - Throws: what the completable fails with, or `CancellationError` when the task is cancelled before it ends.
  public var value: Void { get async throws { _ = try await primitiveSequence.only } }
}

extension PrimitiveSequence where Element: Sendable {
  fileprivate var only: Element? {
    get async throws {
      for try await element in source.values { return element }
      return nil
    }
  }
}
