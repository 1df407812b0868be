/// An element of an effect's observable: an action for the composer, several actions as one step,
/// or nothing.
public enum Effect<Action: Sendable>: EffectProtocol {
  /// Sends an action to the composer.
  case send(Action)
  /// Sends actions that are reduced in order as one step; the state is published once.
  case group([Action])
  /// Sends, as one step, the actions that the closure returns for the state of the moment in which
  /// it is called. Created by ``decide(_:)``.
  case decision(@Sendable (_ state: any Sendable) -> [Action])
  /// Changes the state in a step of its own. Created by a child that dismisses itself.
  indirect case change(StateChange)
  /// Removes the state of the child whose reducer has returned the effect.
  case dismiss
  /// An effect that is dropped when its sender has ended before its turn: a child, or an older effect
  /// than the latest of an id. Created by ``sent(if:)``; ``action`` is the action in it.
  indirect case guarded(GuardedEffect<Action>)
  /// Does nothing.
  case none

  /// The action of `send`, also of a child's or the latest effect's; nil for other cases.
  public var action: Action? {
    switch self {
    case .send(let action): action
    case .guarded(let guarded): guarded.effect.action
    default: nil
    }
  }

  /// The change that removes the state of a child which dismisses itself; nil for other effects.
  package var dismissal: StateChange? {
    switch self {
    case .change(let change): change
    case .guarded(let guarded): guarded.effect.dismissal
    case .send, .group, .decision, .dismiss, .none: nil
    }
  }

  /// Whether the effect removes the state of a child, before which nothing waits that the child has
  /// sent.
  @inlinable var isDismissalAlone: Bool {
    switch self {
    case .change, .dismiss: true
    case .guarded(let guarded):
      guarded.life?.isWaiting != true && guarded.effect.isDismissalAlone
    case .send, .group, .decision, .none: false
    }
  }

  /// Notes that the effect waits for its turn, or does not wait any more.
  @usableFromInline func noteWaiting(_ isWaiting: Bool) {
    guard case .guarded(let guarded) = self else { return }
    guarded.life?.noteWaiting(isWaiting)
    guarded.effect.noteWaiting(isWaiting)
  }

  /// Sends, as one step, the actions that `actions` returns for the current state.
  ///
  /// An empty array makes no step.
  ///
  /// ```swift
  /// return messages.map { message in
  ///   .decide { (state: State) in state.isMuted ? [] : [.received(message), .unread(state.count + 1)] }
  /// }
  /// ```
  ///
  /// `actions` is called where the composer reduces, between two steps, after all actions that were
  /// sent earlier. It receives the state of the composer that returns the effect; in a child that has
  /// no state any more, it is not called. Another `State` type is a programmer's error and traps.
  public static func decide<State: Sendable>(
    _ actions: @escaping @Sendable (_ state: State) -> [Action]
  ) -> Effect {
    .decision { state in
      guard let state = state as? State else {
        preconditionFailure(
          "An effect decides by \(State.self), and its composer's state is \(type(of: state)).")
      }
      return actions(state)
    }
  }

  /// This effect of a child as one of its parent, in whose state `part` is the child's.
  @inlinable func lifted<State: Sendable, Part: Sendable, Parent>(
    from part: StatePart<State, Part>, of child: any Composer.Type, _ life: SenderLife,
    onDismiss: (@Sendable (Part) -> Parent)?, _ embed: @escaping @Sendable (Action) -> Parent
  ) -> Effect<Parent> {
    let effect = converted(from: part, of: child, onDismiss: onDismiss, embed)
    if case .none = effect { return .none }
    return .guarded(GuardedEffect(effect, life))
  }

  @inlinable func converted<State: Sendable, Part: Sendable, Parent>(
    from part: StatePart<State, Part>, of child: any Composer.Type,
    onDismiss: (@Sendable (Part) -> Parent)?, _ embed: @escaping @Sendable (Action) -> Parent
  ) -> Effect<Parent> {
    switch self {
    case .send(let action): .send(embed(action))
    case .group(let actions): .group(actions.map(embed))
    case .decision(let decide):
      .decision { state in
        (state as? State).flatMap(part.read).map { decide($0).map(embed) } ?? []
      }
    case .change(let change): .change(change.lifted(from: part, embed))
    case .dismiss:
      part.remove.map {
        .change(StateChange(dismissing: child, from: part, $0, followedBy: onDismiss))
      } ?? .dismiss
    case .guarded(let inner):
      .guarded(
        GuardedEffect(
          inner.effect.converted(from: part, of: child, onDismiss: onDismiss, embed), like: inner))
    case .none: .none
    }
  }

  /// The same effect with transformed actions.
  public func map<Other>(_ transform: @escaping @Sendable (Action) -> Other)
    -> Effect<Other>
  {
    switch self {
    case .send(let action): .send(transform(action))
    case .group(let actions): .group(actions.map(transform))
    case .decision(let decide): .decision { decide($0).map(transform) }
    case .change(let change): .change(change.map(transform))
    case .dismiss: .dismiss
    case .guarded(let inner): .guarded(GuardedEffect(inner.effect.map(transform), like: inner))
    case .none: .none
    }
  }

  /// The same effect, which is dropped when `isWanted` returns false in its turn.
  ///
  /// - Parameter isWanted: called where the composer reduces.
  @inlinable public func sent(if isWanted: @escaping @Sendable () -> Bool) -> Effect {
    if case .none = self { return .none }
    return .guarded(GuardedEffect(self, isWanted))
  }
}

/// An effect whose sender may end before its turn.
public struct GuardedEffect<Action: Sendable>: Sendable {
  @usableFromInline package let effect: Effect<Action>
  /// Whether the sender has not ended; called where the composer reduces.
  @usableFromInline package let isWanted: @Sendable () -> Bool
  /// The child that has sent the effect; nil for other senders.
  @usableFromInline let life: SenderLife?

  @inlinable init(_ effect: Effect<Action>, _ isWanted: @escaping @Sendable () -> Bool) {
    (self.effect, self.isWanted, life) = (effect, isWanted, nil)
  }

  @inlinable init(_ effect: Effect<Action>, _ life: SenderLife) {
    (self.effect, self.life) = (effect, life)
    isWanted = { !life.hasEnded }
  }

  /// The same, of a transformed effect.
  @inlinable init<Other>(_ effect: Effect<Action>, like other: GuardedEffect<Other>) {
    (self.effect, isWanted, life) = (effect, other.isWanted, other.life)
  }
}

/// The requirements of generic code that works with effects; ``Effect`` is the only conforming
/// type.
public protocol EffectProtocol<Action>: Sendable {
  /// The composer's action.
  associatedtype Action: Sendable

  /// Sends an action to the composer.
  static func send(_ action: Action) -> Self
  /// Sends actions that are reduced as one step.
  static func group(_ actions: [Action]) -> Self
  /// Sends, as one step, the actions that the closure returns for the current state.
  static func decide<State: Sendable>(_ actions: @escaping @Sendable (State) -> [Action]) -> Self
  /// Removes the state of the child whose reducer has returned the effect.
  static var dismiss: Self { get }
  /// Does nothing.
  static var none: Self { get }

  /// The same effect, which is dropped when `isWanted` returns false in its turn.
  func sent(if isWanted: @escaping @Sendable () -> Bool) -> Self
}

extension Observable where Element: EffectProtocol {
  /// Sends `action` to the composer; it is reduced after the actions in the queue.
  @inlinable public static func send(_ action: Element.Action) -> Observable {
    .just(.send(action))
  }

  /// Sends `actions` as one step: they are reduced in order without other actions between them, and
  /// the state is published once.
  @inlinable public static func group(_ actions: Element.Action...) -> Observable { group(actions) }

  /// Sends `actions` as one step: they are reduced in order without other actions between them, and
  /// the state is published once.
  @inlinable public static func group(_ actions: [Element.Action]) -> Observable {
    .just(.group(actions))
  }

  /// Sends, as one step, the actions that `actions` returns for the current state.
  ///
  /// An empty array makes no step.
  ///
  /// `actions` is called where the composer reduces, after all actions that were sent earlier. It
  /// receives the state of the composer that returns the effect; in a child that has no state any
  /// more, it is not called. Another `State` type is a programmer's error and traps.
  public static func decide<State: Sendable>(
    _ actions: @escaping @Sendable (_ state: State) -> [Element.Action]
  ) -> Observable { .just(.decide(actions)) }

  /// Removes this child from the state of its parent: sets an optional state to nil, removes an
  /// element with its row, or pops a screen and those above it.
  ///
  /// ```swift
  /// case .cancel: return .dismiss
  /// ```
  ///
  /// That is a step of its own, and ends the child with its effects. The action of `onDismiss` in the
  /// parent's ``Child`` or ``Children`` is reduced in that step, with the child's last state; without
  /// one it is a step without an action.
  ///
  /// Returned alone, it is the next step: no action comes between. It has its turn in the queue when it
  /// is a part of another effect, and when actions that the child has sent still wait. Another action
  /// may end the child before that turn; the dismissal, and what the child has sent, is dropped then.
  ///
  /// In a child that always exists, it removes the nearest parent that may be absent. In a composer
  /// without such a parent it is reported to ``ComposeHooks``.
  @inlinable public static var dismiss: Observable { .just(.dismiss) }

  /// Does nothing.
  @inlinable public static var none: Observable { EffectContext.none() }

  /// Runs `effects` in sequence: each starts when the previous one has completed.
  @inlinable public static func concatenate(_ effects: Observable...) -> Observable {
    .concat(effects)
  }
}
