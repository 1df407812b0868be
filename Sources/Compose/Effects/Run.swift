import Synchronization

extension Observable where Element: EffectProtocol {
  /// Sends what `observable` emits.
  ///
  /// - Parameter onError: makes an effect of an error; without it, the error goes to the composer's
  ///   `effectFailed(_:from:)`.
  public static func run(
    _ observable: Observable<Element.Action>,
    catch onError: (@Sendable (any Error) -> Observable)? = nil
  ) -> Observable {
    let effects = observable.map { Element.send($0) }
    guard let onError else { return effects }
    // What `onError` makes lives on the composer's clock too, wherever the error arrives.
    let context = EffectContext.here
    return effects.catch { error in
      EffectContext.$current.withValue(context ?? EffectContext.current) { onError(error) }
    }
  }

  /// Sends the element of `single`.
  ///
  /// - Parameter onError: makes an effect of an error; without it, the error goes to the composer's
  ///   `effectFailed(_:from:)`.
  public static func run(
    _ single: Single<Element.Action>,
    catch onError: (@Sendable (any Error) -> Observable)? = nil
  ) -> Observable { run(single.asObservable(), catch: onError) }

  /// Runs `operation` in a task and sends what it gives to its observer.
  ///
  /// ```swift
  /// return .run { [api] effect in
  ///   effect.onNext(.send(.loaded(try await api.load())))
  /// } catch: { error in
  ///   .send(.failed(error))
  /// }
  /// ```
  ///
  /// The operation does not run on the main actor, and cannot capture the composer. The effect ends
  /// when the operation returns; what is sent later is dropped and reported to ``ComposeHooks``.
  /// Cancelling the effect cancels the task; what the operation throws then is dropped.
  /// `CancellationError` is a quiet end.
  ///
  /// - Parameters:
  ///   - priority: the task's priority; that of the sender by default.
  ///   - operation: the work.
  ///   - onError: makes an effect of an error; without it, the error goes to the composer's
  ///     `effectFailed(_:from:)`.
  public static func run(
    priority: TaskPriority? = nil,
    _ operation: @escaping @Sendable (_ effect: AnyObserver<Element>) async throws -> Void,
    catch onError: (@Sendable (any Error) -> Element)? = nil
  ) -> Observable {
    let context = EffectContext.here
    return Observable { down in
      // Also what starts late, on a timer's turn, lives on the composer's clock.
      let context = context ?? EffectContext.current
      let effect = OperationObserver(down)
      let task = EffectContext.$current.withValue(context) {
        let executor = context?.taskExecutor ?? TestProcessExecutor.preference
        return Task(executorPreference: executor, priority: priority) {
          do {
            try await operation(effect.asObserver())
            effect.end(nil)
          } catch { effect.fail(error, onError) }
        }
      }
      down.lifetime.add(ActionDisposable { task.cancel() })
    }
  }

  /// Sends what `sequence` gives.
  ///
  /// The sequence is iterated in a task of its own; the effect ends with it, and its cancellation
  /// cancels the task.
  ///
  /// - Parameter onError: makes an effect of an error; without it, the error goes to the composer's
  ///   `effectFailed(_:from:)`.
  public static func run<Sequence: AsyncSequence & Sendable>(
    _ sequence: Sequence, catch onError: (@Sendable (any Error) -> Element)? = nil
  ) -> Observable where Sequence.Element == Element.Action {
    run({ for try await action in sequence { $0.onNext(.send(action)) } }, catch: onError)
  }

  /// Runs `operation` in a task, for what it does and not for actions of it.
  ///
  /// ```swift
  /// return .fireAndForget { [log] in try await log.write("opened") }
  /// ```
  ///
  /// An error goes to the composer's `effectFailed(_:from:)`.
  public static func fireAndForget(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Void
  ) -> Observable { run(priority: priority) { _ in try await operation() } }
}

/// The observer of a running operation; tells when it is used after the operation has returned.
private final class OperationObserver<Element: EffectProtocol>: ObserverType, Sendable {
  // An observer is not Sendable by its type; `isOver` lets one terminal through.
  private nonisolated(unsafe) let down: Observer<Element>
  // Not when it is cancelled: what is sent then is dropped in silence.
  private let isOver = Atomic(false)

  init(_ down: Observer<Element>) { self.down = down }

  func on(_ event: Event<Element>) {
    switch event {
    case .next(let effect):
      if isOver.load(ordering: .relaxed) { return reportLate(effect) }
      if !down.lifetime.isDisposed { down.next(effect) }
    case .error(let error): end(error)
    case .completed: end(nil)
    }
  }

  /// The operation has thrown: after an end of its own that is reported, not lost.
  func fail(_ error: any Error, _ onError: (@Sendable (any Error) -> Element)?) {
    if error is CancellationError { return end(nil) }
    if isOver.load(ordering: .relaxed) { return reportLate(error) }
    // Cancelled work throws all sorts of errors, which are nobody's business any more.
    if let onError, !down.lifetime.isDisposed { onNext(onError(error)) }
    end(onError == nil ? error : nil)
  }

  func end(_ error: (any Error)?) {
    if down.lifetime.isDisposed || isOver.exchange(true, ordering: .relaxed) { return }
    down.end(error)
  }

  private func reportLate(_ sent: Any) { ComposeHooks.report(.sentAfterEnd(effect: "\(sent)")) }
}
