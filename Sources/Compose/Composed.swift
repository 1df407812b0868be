/// Owns a composer off the main actor: on a server, in a tool, thousands at a time.
///
/// ```swift
/// let session = Composed(sending: SessionComposer())
/// session.send(.opened)
/// ```
///
/// By default the composer reduces on the sender's thread, one action at a time. It has no thread
/// and no queue of its own. When another thread is reducing, `send` appends the action to the queue
/// of that thread and returns. A thread that has reduced 1,000 actions of other threads moves the
/// remaining queue to the global dispatch queue. Timers run on the global dispatch queue. Other
/// executors reduce on a queue, an actor or an event loop.
///
/// The composer is moved into this handle: no other code can reach it. Releasing the handle
/// releases the composer and ends its effects; actions that wait then are dropped and, in debug
/// builds, reported to ``ComposeHooks``.
public final class Composed<State: Sendable, Action: Sendable>: Sendable {
  /// Accepts actions from any thread.
  public let actions: PublishRelay<Action>
  @usableFromInline let box: StateBox<State>
  // Moved here by `sending`. Only the store accesses it, in a drain; this reference keeps it alive.
  @usableFromInline nonisolated(unsafe) let composer: AnyObject

  /// Takes ownership of `composer` and binds it.
  ///
  /// Traps unless the composer's `state` is declared with `@ComposableState`.
  ///
  /// - Parameters:
  ///   - composer: composer that is not bound.
  ///   - executor: place where the composer reduces; the sender's thread by default.
  @inlinable public init<C: Composer>(
    sending composer: sending C, on executor: some ComposeExecutor = .callerRuns
  ) where C.State == State, C.Action == Action {
    actions = composer.action
    box = Self.bind(composer, to: executor)
    self.composer = composer
  }

  /// Injects dependencies into `composer`, takes ownership of it and binds it.
  ///
  /// ```swift
  /// let session = Composed(sending: SessionComposer(), on: .pool) { $0.library = .production }
  /// ```
  ///
  /// Traps unless the composer's `state` is declared with `@ComposableState`.
  ///
  /// - Parameters:
  ///   - composer: composer that is created in this call, so that its `init` finds the
  ///     dependencies.
  ///   - executor: place where the composer reduces; the sender's thread by default.
  ///   - change: changes the dependencies, which are those that are current here.
  @inlinable public init<C: Composer>(
    sending composer: @autoclosure () -> sending C,
    on executor: some ComposeExecutor = .callerRuns, _ change: (inout Dependencies) -> Void
  ) where C.State == State, C.Action == Action {
    let (created, box) = Dependencies.with(change, on: executor) {
      let created = composer()
      return (created, Self.bind(created, to: executor))
    }
    actions = created.action
    self.box = box
    self.composer = created
  }

  @inlinable static func bind<C: Composer>(_ composer: C, to executor: some ComposeExecutor)
    -> StateBox<State> where C.State == State, C.Action == Action
  {
    guard let box = StateBoxLookup.box(of: composer) else {
      preconditionFailure("Declare \(C.self).state with @ComposableState.")
    }
    Store.bind(composer, to: executor)
    return box
  }

  #if DEBUG
  deinit { (actions.attached as? StoreCore)?.reportUnreducedActions() }
  #endif

  /// Sends `action`.
  ///
  /// It is reduced before this returns when the executor is the current one and no other thread is
  /// reducing.
  @inlinable public func send(_ action: Action) { actions.accept(action) }

  /// Completes after the steps of the actions that were sent before the subscription.
  ///
  /// ```swift
  /// session.send(.closed)
  /// try await session.settled.value
  /// ```
  ///
  /// It completes where the composer reduces, before the subscription returns if nothing waits there. The
  /// effects of these steps may still run, and what they send later is not waited for. An action that a
  /// full ``Composer/mailbox`` drops is not waited for either. The handle is retained until then, also
  /// after disposal. It does not fail.
  public var settled: Completable {
    .create { [self] observer in
      guard let store = actions.attached as? StoreCore else {
        observer(.completed)
        return Disposables.create()
      }
      store.perform { withExtendedLifetime(self) { observer(.completed) } }
      return Disposables.create()
    }
  }

  /// The current state.
  public var state: State { box.value }

  /// The state after every step, beginning with the current one, on the thread that reduced.
  ///
  /// It never completes, not even when this handle is released: keep the handle while you observe.
  public var states: Observable<State> { box.states }

  /// The composer's steps and effects from now on, one event at a time, in the order in which they
  /// happen.
  ///
  /// A step is delivered where the composer reduces, an effect's event where the effect starts or
  /// ends. A composer without an observer of its trace has no extra cost.
  public var trace: Observable<TraceEvent<State, Action>> { TracedStore.trace(of: actions) }
}
