/// Reduces actions into state and answers each with an effect.
///
/// ```swift
/// class CounterComposer: Composer {
///   enum Action { case increment }
///   struct State { var count = 0 }
///
///   @ComposableState var state = State()
///   var action = PublishRelay<Action>()
///   var disposeBag = DisposeBag()
///
///   func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
///     switch action {
///     case .increment:
///       state.count += 1
///       return .none
///     }
///   }
/// }
/// ```
///
/// A composer does nothing until it is bound: by `@Compose` to the main actor, or by ``Composed`` to
/// whoever sends. Before that, `action.accept` reaches nobody.
///
/// The protocol has no isolation and a composer is not Sendable: it belongs to where it was bound,
/// and an effect cannot capture it. Its `action` relay is Sendable and may be used from any thread.
///
/// **Order.** Actions are reduced one at a time, first in, first out; a reduction never nests in
/// another. Within one action: tell who observes `action`, reduce, publish the state, start the effect. What an effect sends, or an
/// observer of the state, goes to the back of the queue.
///
/// **Effects.** An effect cannot capture the composer; it captures what it needs of it:
/// `.run { [api] effect in ... }`. In a library, a public `Action` and a public `State` say `: Sendable`
/// themselves, as public types must.
///
/// **End.** Releasing the composer disposes of all its effects. A relay that outlives it does nothing.
public protocol Composer: AnyObject {
  /// What can happen.
  associatedtype Action: Sendable
  /// What is known.
  associatedtype State: Sendable

  /// The state; declared with `@ComposableState`.
  var state: State { get set }
  /// Takes actions, from any thread.
  var action: PublishRelay<Action> { get }
  /// Holds all running effects; `.cancel(&disposeBag)` ends them.
  ///
  /// To end only some, give those a bag of their own: `.cancellable(bag)`, `.cancel(&bag)`.
  var disposeBag: DisposeBag { get set }

  /// Changes `state` and returns what shall happen next: `.none`, `.send(...)`, `.run { ... }`.
  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>>

  /// Hears of an effect that failed with an error nobody caught; `CancellationError` is not reported.
  ///
  /// Called where the reducer is called, between two actions. The default reports to ``ComposeHooks``.
  func effectFailed(_ error: any Error, from action: Action)
}

extension Composer {
  /// Reports to ``ComposeHooks``.
  public func effectFailed(_ error: any Error, from action: Action) {
    ComposeHooks.report(
      .effectFailed(error: error, composer: "\(Self.self)", action: "\(action)")
    )
  }
}

/// Owns a composer on the main actor: a view controller, a screen, the top level of a tool.
@MainActor
public protocol Composable: AnyObject {
  /// The composer's type.
  associatedtype Composer

  /// Holds the owner's own subscriptions.
  var disposeBag: DisposeBag { get set }
  /// The composer; declared with `@Compose`.
  var composer: Composer { get set }
}
