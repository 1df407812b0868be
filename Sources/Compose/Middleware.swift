/// Observes a composer's actions and runs effects of its own: logging, analytics, persistence,
/// sockets.
///
/// ```swift
/// final class Saving: Middleware {
///   func didReduce(_ action: App.Action, _ state: App.State) -> Observable<Effect<App.Action>> {
///     .fireAndForget { [disk] in try await disk.write(state) }
///       .debounce(id: ID.save, for: .seconds(1))
///   }
/// }
/// ```
///
/// A composer lists its middleware in ``Composer/middleware``. A middleware may hold the composer's
/// relay, and is released with the composer. The ids of its effects are separate from the
/// composer's. Its effects are not in the composer's bag: they end by their ids, or with the
/// composer.
public protocol Middleware<State, Action>: AnyObject, Sendable {
  /// The composer's state.
  associatedtype State: Sendable
  /// The composer's action.
  associatedtype Action: Sendable

  /// Returns the action to reduce in place of `action`; nil drops it.
  ///
  /// Called before the reducer, where the composer reduces, with the state before the step. In a
  /// group it is called for every action before the first is reduced. A dropped action makes no
  /// step; that of a child's dismissal (`onDismiss`) makes one which removes the child only. The
  /// default returns `action`.
  func willReduce(_ action: Action, _ state: State) -> Action?

  /// Called with every reduced action and the state after its step. Returns an effect; `.send` adds
  /// an action.
  ///
  /// Called after the state was published, in the order of the actions, on ``scheduler`` or where
  /// the composer reduces. The default returns `.none`.
  func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>>

  /// Called with the name of each change that is no action, and the state after its step: a dismissal, a
  /// binding, a write of a ``SharedValue``, a write of the whole state. Returns an effect, like
  /// `didReduce`, which is called after it for the action of a dismissal.
  ///
  /// The name is ``ComposerStep/change``. The default returns `.none`.
  func didChange(_ change: String, _ state: State) -> Observable<Effect<Action>>

  /// Calls `didReduce` and `didChange`, and starts their effects. With nil, the default, both happen
  /// where the composer reduces.
  var scheduler: (any ImmediateSchedulerType)? { get }
}

extension Middleware {
  /// Returns `action` unchanged.
  public func willReduce(_ action: Action, _ state: State) -> Action? { action }
  /// Returns `.none`.
  public func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>> { .none }
  /// Returns `.none`.
  public func didChange(_ change: String, _ state: State) -> Observable<Effect<Action>> { .none }
  /// Nil: `didReduce` is called where the composer reduces.
  public var scheduler: (any ImmediateSchedulerType)? { nil }
}
