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

  /// Whether the effect removes the state of a child.
  @inlinable var isDismissal: Bool {
    switch self {
    case .change, .dismiss: true
    case .guarded(let guarded): guarded.effect.isDismissal
    case .send, .group, .decision, .none: false
    }
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
    converted(from: part, of: child, onDismiss: onDismiss, embed).sent { !life.hasEnded }
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
          inner.effect.converted(from: part, of: child, onDismiss: onDismiss, embed), inner.isWanted
        ))
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
    case .guarded(let inner): .guarded(GuardedEffect(inner.effect.map(transform), inner.isWanted))
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

  @inlinable init(_ effect: Effect<Action>, _ isWanted: @escaping @Sendable () -> Bool) {
    (self.effect, self.isWanted) = (effect, isWanted)
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
  /// That is a step of its own, and ends the child with its effects. The parent learns of it, and of the
  /// child's last state, by the action of `onDismiss` in its ``Child`` or ``Children``, which is reduced
  /// in that step; without one it is a step without an action.
  ///
  /// Returned alone, it follows the step that returns it, before any other action. As a part of another
  /// effect, it has its turn after what the child has sent before, unless another action ends the child
  /// first: then nothing of this is reduced.
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
