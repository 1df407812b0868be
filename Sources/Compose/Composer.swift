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
/// A composer works after it is bound: by `@Compose` to the main actor, or by ``Composed`` to the
/// sender's thread or another executor. Before that, `action.accept` has no effect.
///
/// The protocol has no isolation and a composer is not Sendable: it is used only where it is bound,
/// and an effect cannot capture it. Its `action` relay is Sendable and may be used from any thread.
///
/// **Order.** Actions are reduced one at a time, first in, first out. Reductions never nest. One
/// action passes four stages: it is delivered to the observers of `action`, the reducer runs, the
/// state is published, the effect starts. Actions that an effect or an observer of the state sends
/// are appended to the queue.
///
/// **Effects.** An effect captures what it needs instead of the composer: `.run { [api] effect in
/// ... }`. A public `Action` and a public `State` must declare `Sendable`, as all public types
/// must.
///
/// **End.** Releasing the composer disposes of all its effects, unless other code holds its bag: then
/// each ends when it next sends. A relay that outlives the composer has no effect.
public protocol Composer: AnyObject {
  /// An event that the reducer handles.
  associatedtype Action: Sendable
  /// The data that actions change.
  associatedtype State: Sendable

  /// The state; declare it with `@ComposableState`.
  var state: State { get set }
  /// Accepts actions from any thread.
  var action: PublishRelay<Action> { get }
  /// Holds all running effects; `.cancel(&disposeBag)` ends them.
  ///
  /// To end some effects only, give them another bag with `.cancellable(bag)`, and end them with
  /// `.cancel(&bag)`.
  var disposeBag: DisposeBag { get set }

  /// Changes `state` and returns the effect to start: `.none`, `.send(...)`, `.run { ... }`.
  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>>

  /// The effects that run while `state` holds. An effect starts when its id appears in this list,
  /// runs while the id stays, and is cancelled when the id disappears.
  ///
  /// Called for the first state and after every step. The default returns an empty list. State
  /// effects are in no bag: only the state and the composer's end cancel them. An effect that has
  /// ended by itself starts again after its id has disappeared and appeared again.
  @StateEffectsBuilder<Action> func stateEffects(_ state: State) -> [StateEffect<Action>]

  /// The name of this composer in problems and logs. Read once, when the composer is bound.
  ///
  /// ```swift
  /// var name: String { "room \(id)" }
  /// ```
  ///
  /// The default is empty, which stands for the type and, for a second and further one, a number:
  /// `Room`, `Room 2`. They are numbered when they are first named.
  var name: String { get }

  /// The middleware, called in this order; empty by default. Read once, when the composer is bound.
  var middleware: [any Middleware<State, Action>] { get }

  /// The limit of the actions that wait to be reduced, and the treatment of those that exceed it;
  /// `.unbounded` by default. Read once, when the composer is bound.
  ///
  /// The limit applies to actions from outside, by the relay or the handle. Those of the composer's
  /// own effects are neither refused nor dropped, but count.
  ///
  /// - With `.dropOldest` and `.dropNewest`, ``Composed/droppedActionCount`` counts what is dropped.
  /// - With `.fail`, the action is dropped, counted and reported to ``ComposeHooks``.
  /// - With `.suspend`, nothing is dropped, and ``Composed/sendWhenReady(_:)`` suspends its task
  ///   while the mailbox is full. A sender that cannot be suspended exceeds the limit.
  ///
  /// An unbounded mailbox is reported once, when 100,000 actions wait.
  var mailbox: BufferingPolicy { get }

  /// Transforms the actions that come from outside, by the relay or the handle. Actions that
  /// effects send bypass it.
  ///
  /// ```swift
  /// func transform(action: Observable<Action>) -> Observable<Action> {
  ///   .merge(action, reachability.map(Action.reachable))
  /// }
  /// ```
  ///
  /// Called once, when the composer is bound. The default returns `action`. The returned observable
  /// is disposed of when the composer ends. Its source delivers where the composer reduces, between
  /// two steps. An error is reported to ``ComposeHooks``; after it, no action from outside arrives.
  func transform(action: Observable<Action>) -> Observable<Action>

  /// True when the reducer works on the stored state itself, so that large arrays and dictionaries
  /// in it are not copied. False by default: the reducer works on a copy.
  ///
  /// With true, a lock is held while the reducer runs, which may create a child; no other closure of
  /// yours runs under a lock.
  /// Reading `self.state` inside the reducer is a programmer's error and traps. Reading it on
  /// another thread, or in another reducer, waits until this reducer returns. Two such reducers
  /// that wait for each other trap. An observer that keeps a state makes the next change copy it.
  static var reducesInPlace: Bool { get }
}

extension Composer {
  /// Returns an empty list.
  @inlinable public func stateEffects(_ state: State) -> [StateEffect<Action>] {
    DefaultStateEffects.noteCall(of: self)
    return []
  }

  /// Empty: the type and a number.
  @inlinable public var name: String { "" }

  /// An empty list.
  public var middleware: [any Middleware<State, Action>] { [] }

  /// Unbounded.
  public var mailbox: BufferingPolicy { .unbounded }

  /// Returns `action` unchanged.
  public func transform(action: Observable<Action>) -> Observable<Action> { action }

  /// False: the reducer works on a copy of the state.
  @inlinable public static var reducesInPlace: Bool { false }

  /// The composer's steps and effects from now on, one event at a time, in the order in which they
  /// happen.
  ///
  /// Empty while the composer is not bound.
  ///
  /// A step is delivered where the composer reduces, an effect's event where the effect starts or
  /// ends. A composer without an observer of its trace has no extra cost.
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
  /// The composer; declare it with `@Compose`.
  var composer: Composer { get set }
}
