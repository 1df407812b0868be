import Synchronization

extension AnyObserver where Element: EffectProtocol {
  /// Sends `action` to the composer.
  ///
  /// ```swift
  /// return .run { send in
  ///   for await reading in sensor.readings { send(.read(reading)) }
  /// }
  /// ```
  public func callAsFunction(_ action: Element.Action) { onNext(.send(action)) }
}

extension Observable where Element: EffectProtocol {
  /// Sends the elements of `observable` as actions.
  ///
  /// - Parameters:
  ///   - observable: source of actions; the effect ends with it.
  ///   - onError: converts an error to an effect. Without it, the error goes to the composer's
  ///     `effectFailed(_:)`.
  public static func run(
    _ observable: Observable<Element.Action>,
    catch onError: (@Sendable (any Error) -> Observable)? = nil
  ) -> Observable {
    let kind = EffectKind.run.rawValue
    let effects: Observable = NumberedObservable<Element>(kind) { [run = observable.run] down in
      run(down.with { down.next(.send($0)) })
    }
    guard let onError else { return effects }
    // The effect that `onError` returns uses the composer's clock too, on whichever thread the
    // error arrives.
    let context = EffectContext.ambient
    return effects.catch { error in
      EffectContext.$current.withValue(context ?? EffectContext.current) { onError(error) }
    }
    .named(.run)
  }

  /// Sends the element of `single` as an action.
  ///
  /// - Parameters:
  ///   - single: source of one action; the effect ends with it.
  ///   - onError: converts an error to an effect. Without it, the error goes to the composer's
  ///     `effectFailed(_:)`.
  public static func run(
    _ single: Single<Element.Action>,
    catch onError: (@Sendable (any Error) -> Observable)? = nil
  ) -> Observable { run(single.asObservable(), catch: onError) }

  /// Runs `operation` in a task and sends the effects that the operation passes to its observer.
  ///
  /// ```swift
  /// return .run { [api] effect in
  ///   effect.onNext(.send(.loaded(try await api.load())))
  /// } catch: { error in
  ///   .send(.failed(error))
  /// }
  /// ```
  ///
  /// The operation runs off the main actor and cannot capture the composer. Several tasks of it may
  /// send at the same time: operators behind the effect receive one element after the other. The
  /// effect ends when the operation returns; effects that are sent afterwards are dropped and
  /// reported to ``ComposeHooks``, or fail the test that runs the composer. Cancelling the effect
  /// cancels the task; an error that the operation throws then is dropped. A thrown
  /// `CancellationError` completes the effect.
  ///
  /// - Parameters:
  ///   - priority: task priority; the sender's by default.
  ///   - operation: asynchronous work.
  ///   - onError: converts an error to an effect. Without it, the error goes to the composer's
  ///     `effectFailed(_:)`.
  public static func run(
    priority: TaskPriority? = nil,
    _ operation: @escaping @Sendable (_ effect: AnyObserver<Element>) async throws -> Void,
    catch onError: (@Sendable (any Error) -> Element)? = nil
  ) -> Observable {
    let context = EffectContext.ambient
    return NumberedObservable(EffectKind.run.rawValue) { down in
      // An effect that a timer starts later uses the composer's clock too.
      let context = context ?? EffectContext.current
      let effect = OperationObserver(down, context?.onProblem)
      let running = HostSystem.current.map { HostOperation(context, on: $0) }
      let task = EffectContext.$current.withValue(context) {
        let executor = context?.taskExecutor ?? TestProcessExecutor.preference
        return Task(executorPreference: executor, priority: priority) {
          defer { running?.end() }
          do {
            try await operation(effect.asObserver())
            effect.end(nil)
          } catch { effect.fail(error, onError) }
        }
      }
      down.lifetime.add(ActionDisposable { task.cancel() })
    }
  }

  /// Runs `operation` in a task, and sends the action that it returns.
  ///
  /// ```swift
  /// return .run { [api] in
  ///   .loaded(try await api.load())
  /// } catch: { error in
  ///   .send(.failed(error))
  /// }
  /// ```
  ///
  /// For the rest it is the `run` whose closure receives an observer.
  ///
  /// - Parameters:
  ///   - priority: task priority; the sender's by default.
  ///   - operation: asynchronous work.
  ///   - onError: converts an error to an effect. Without it, the error goes to the composer's
  ///     `effectFailed(_:)`.
  public static func run(
    priority: TaskPriority? = nil,
    _ operation: @escaping @Sendable () async throws -> Element.Action,
    catch onError: (@Sendable (any Error) -> Element)? = nil
  ) -> Observable {
    run(priority: priority, { $0.onNext(.send(try await operation())) }, catch: onError)
  }

  /// Sends the elements of `sequence` as actions.
  ///
  /// A task iterates over the sequence. The effect ends with the sequence; cancelling the effect
  /// cancels the task.
  ///
  /// - Parameters:
  ///   - sequence: source of actions.
  ///   - onError: converts an error to an effect. Without it, the error goes to the composer's
  ///     `effectFailed(_:)`.
  public static func run<Sequence: AsyncSequence & Sendable>(
    _ sequence: Sequence, catch onError: (@Sendable (any Error) -> Element)? = nil
  ) -> Observable where Sequence.Element == Element.Action {
    run({ for try await action in sequence { $0.onNext(.send(action)) } }, catch: onError)
  }

  /// Runs `operation` in a task and sends no actions.
  ///
  /// ```swift
  /// return .fireAndForget { [log] in try await log.write("opened") }
  /// ```
  ///
  /// An error goes to the composer's `effectFailed(_:)`.
  public static func fireAndForget(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Void
  ) -> Observable { run(priority: priority) { _ in try await operation() } }
}

/// An operation of a simulated host, which the simulation names while it has not ended.
private struct HostOperation: Sendable {
  private let host: HostSystem
  private let number: Int

  init(_ context: EffectContext?, on host: HostSystem) {
    self.host = host
    number = host.begin(operation: context?.composerName ?? "no composer")
  }

  func end() { host.end(operation: number) }
}

/// The observer that an operation receives, which any of its tasks may use.
///
/// Reports effects that are sent after the operation has returned.
private final class OperationObserver<Element: EffectProtocol>: ObserverType, Sendable {
  // The observer's type is not Sendable. It is called inside the gate only, and `hasEnded` delivers
  // at most one terminal.
  private nonisolated(unsafe) let down: Observer<Element>
  private let gate: SerialGate
  // Cancelling does not set it: effects that are sent after a cancellation are dropped without a
  // report.
  private let hasEnded = Atomic(false)
  /// Called with problems instead of `ComposeHooks`; kept, because late senders have no context.
  private let onProblem: (@Sendable (ComposeProblem) -> Void)?

  init(_ down: Observer<Element>, _ onProblem: (@Sendable (ComposeProblem) -> Void)?) {
    self.down = down
    self.onProblem = onProblem
    gate = SerialGate(down.lifetime)
  }

  func on(_ event: Event<Element>) {
    switch event {
    case .next(let effect):
      if hasEnded.load(ordering: .relaxed) { return reportLate(effect) }
      if !down.lifetime.isDisposed { gate.run(effect, down.next) }
    case .error(let error): end(error)
    case .completed: end(nil)
    }
  }

  /// Handles an error that the operation has thrown; reports it when the operation has already
  /// ended its observer.
  func fail(_ error: any Error, _ onError: (@Sendable (any Error) -> Element)?) {
    if error is CancellationError { return end(nil) }
    if hasEnded.load(ordering: .relaxed) { return reportLate(error) }
    // Cancelled work may throw any error; such errors are dropped.
    if let onError, !down.lifetime.isDisposed { onNext(onError(error)) }
    end(onError == nil ? error : nil)
  }

  func end(_ error: (any Error)?) {
    if down.lifetime.isDisposed || hasEnded.exchange(true, ordering: .relaxed) { return }
    gate.run(error, down.end)
  }

  private func reportLate(_ sent: Any) {
    (onProblem ?? ComposeHooks.report)(.sentAfterEnd(effect: "\(sent)"))
  }
}
