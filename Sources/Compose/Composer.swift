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
/// another. Within one action: tell who observes `action`, reduce, publish the state, start the effect.
/// What an effect sends, or an observer of the state, goes to the back of the queue.
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

  /// The effects that `state` asks for: each is started when its id appears here, runs as long as it
  /// stays, and is cancelled when it goes.
  ///
  /// Asked for the first state and after every step; nothing by default. These effects are in no bag: the
  /// state alone ends them, or the composer's end. One that ends by itself is started again when its id
  /// has been away.
  @LiveEffects<Action> func subscriptions(_ state: State) -> [LiveEffect<Action>]

  /// Who looks on, in this order; nobody by default. Asked once, when the composer is bound.
  var middleware: [any Middleware<State, Action>] { get }

  /// What becomes of the actions that come from outside, by the relay or the handle; what effects send
  /// does not pass here.
  ///
  /// ```swift
  /// func transform(action: Observable<Action>) -> Observable<Action> {
  ///   .merge(action, reachability.map(Action.reachable))
  /// }
  /// ```
  ///
  /// Called once, when the composer is bound; `action` itself by default. It lives as long as the
  /// composer. Elements come where the composer reduces, between two steps; an error is reported to
  /// ``ComposeHooks``, and no action comes through after it.
  func transform(action: Observable<Action>) -> Observable<Action>

  /// Whether the reducer works on the stored state itself, so that big arrays and dictionaries in it are
  /// never copied; false by default, when it works on a copy.
  ///
  /// A lock is held while the reducer runs, as nowhere else while a closure of yours runs.
  /// Reading `self.state` inside the reducer is then a programmer's error and traps; reading it on
  /// another thread waits for the reducer. So does another such composer's reducer, which must not be
  /// waited for itself: that traps too. An observer that keeps states makes the next change copy.
  static var reducesInPlace: Bool { get }

  /// Hears of an effect that failed with an error nobody caught; `CancellationError` is not reported.
  ///
  /// Called where the reducer is called, between two actions. The default reports to ``ComposeHooks``.
  func effectFailed(_ error: any Error, from action: Action)

  /// Hears of an effect of ``subscriptions(_:)`` that failed with an error nobody caught.
  ///
  /// Called where the reducer is called, between two actions. The default reports to ``ComposeHooks``.
  func effectFailed(_ error: any Error, of id: AnyHashable)
}

extension Composer {
  /// Nothing.
  @inlinable public func subscriptions(_ state: State) -> [LiveEffect<Action>] { [] }

  /// Nobody.
  public var middleware: [any Middleware<State, Action>] { [] }

  /// `action` itself.
  public func transform(action: Observable<Action>) -> Observable<Action> { action }

  /// False.
  @inlinable public static var reducesInPlace: Bool { false }

  /// Reports to ``ComposeHooks``.
  public func effectFailed(_ error: any Error, from action: Action) {
    ComposeHooks.report(.effectFailed(error: error, composer: "\(Self.self)", action: "\(action)"))
  }

  /// Reports to ``ComposeHooks``.
  public func effectFailed(_ error: any Error, of id: AnyHashable) {
    ComposeHooks.report(.subscriptionFailed(error: error, composer: "\(Self.self)", id: "\(id)"))
  }

  /// What this composer does from now on, as it does it; nothing as long as it is not bound.
  ///
  /// Steps are delivered where the composer reduces, effects where they start and end; one event at a
  /// time, in the order in which they happened. A composer that nobody traces pays nothing for it.
  ///
  /// ```swift
  /// composer.trace.subscribe(onNext: { log("\($0)") }).disposed(by: bag)
  /// // step 1 by outside: start → State(count: 0)
  /// ```
  public var trace: Observable<TraceEvent<State, Action>> { TracedStore.trace(of: action) }
}

/// Owns a composer on the main actor: a view controller, a screen, the top level of a tool.
@MainActor public protocol Composable: AnyObject {
  /// The composer's type.
  associatedtype Composer

  /// Holds the owner's own subscriptions.
  var disposeBag: DisposeBag { get set }
  /// The composer; declared with `@Compose`.
  var composer: Composer { get set }
}
