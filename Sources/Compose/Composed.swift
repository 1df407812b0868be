/// Owns a composer away from the main actor: on servers, in tools, by the thousand.
///
/// ```swift
/// let session = Composed(sending: SessionComposer())
/// session.send(.opened)
/// ```
///
/// By default whoever sends, reduces: on the sender's thread, one action at a time. It has no thread and
/// no queue of its own; a send that finds another thread reducing leaves its action to that thread and
/// returns, and a thread that has reduced 1,000 actions of others leaves the rest to the global queue.
/// Timers run on the global queue. Other executors reduce on a queue, an actor or an event loop.
///
/// The composer is handed over for good: nothing but this handle can reach it. Releasing the handle
/// releases the composer and ends its effects.
public final class Composed<State: Sendable, Action: Sendable>: Sendable {
  /// Takes actions, from any thread.
  public let actions: PublishRelay<Action>
  @usableFromInline let box: StateBox<State>
  // Handed over by `sending` and reached by the store alone, in a drain; kept alive here.
  @usableFromInline nonisolated(unsafe) let composer: AnyObject

  /// Takes over `composer` and binds it.
  ///
  /// Its `state` must be declared with `@ComposableState`: anything else is a programmer's error and
  /// traps.
  ///
  /// - Parameter executor: where it reduces.
  @inlinable public init<C: Composer>(
    sending composer: sending C, on executor: some ComposeExecutor = .callerRuns
  ) where C.State == State, C.Action == Action {
    guard let box = StateSearch.box(of: composer) else {
      preconditionFailure("Declare \(C.self).state with @ComposableState.")
    }
    (actions, self.box, self.composer) = (composer.action, box, composer)
    Store.bind(composer, to: executor)
  }

  /// Reduces `action`: before this returns, when the executor is the current one and no other thread is
  /// reducing.
  @inlinable public func send(_ action: Action) { actions.accept(action) }

  /// The current state.
  public var state: State { box.value }

  /// The state after every step, beginning with the current one, on the thread that reduced.
  ///
  /// It does not end, also not with the handle: hold that as long as you listen.
  public var states: Observable<State> { box.states }

  /// What the composer does from now on, as it does it.
  ///
  /// Steps are delivered where the composer reduces, effects where they start and end; one event at a
  /// time, in the order in which they happened. A composer that nobody traces pays nothing for it.
  public var trace: Observable<TraceEvent<State, Action>> { TracedStore.trace(of: actions) }
}
