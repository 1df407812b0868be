/// Looks on at a composer's actions and acts on its own: logging, analytics, persistence, sockets.
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
/// It may hold the composer's relay, and is released with the composer.
///
/// A composer names its middleware in ``Composer/middleware``. Ids of effects are its own, and its
/// effects are not in the composer's bag: they end by their ids, or with the composer.
public protocol Middleware<State, Action>: AnyObject, Sendable {
  /// The composer's state.
  associatedtype State: Sendable
  /// The composer's action.
  associatedtype Action: Sendable

  /// What is to be reduced in place of `action`: itself, another one or, when nil, nothing.
  ///
  /// Called before the reducer, where the composer reduces, with the state before the step: for each
  /// action of a group before any of them is reduced. What is dropped is no step. The default lets every
  /// action pass.
  func willReduce(_ action: Action, _ state: State) -> Action?

  /// Hears of every action with the state after it, and returns what shall happen: `.send` adds an
  /// action.
  ///
  /// Called after the state was published, in the order of the actions: where the composer reduces,
  /// or on ``scheduler``. The default does nothing.
  func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>>

  /// Where `didReduce` is called and its effects start; nil, the default, is where the composer
  /// reduces.
  var scheduler: (any ImmediateSchedulerType)? { get }
}

extension Middleware {
  /// Lets every action pass.
  public func willReduce(_ action: Action, _ state: State) -> Action? { action }
  /// Does nothing.
  public func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>> { .none }
  /// Where the composer reduces.
  public var scheduler: (any ImmediateSchedulerType)? { nil }
}
