/// What an effect's observable emits: an action for the composer, several as one step, or nothing.
public enum Effect<Action: Sendable>: EffectProtocol {
  /// Sends an action to the composer.
  case send(Action)
  /// Sends actions that are reduced as one step, in their order, and published once.
  case group([Action])
  /// Sends, as one step, what the closure makes of the state as it is when its turn has come;
  /// ``decide(_:)`` makes it.
  case decision(@Sendable (_ state: any Sendable) -> [Action])
  /// Does nothing.
  case none

  /// The action of `send`.
  @inlinable public var action: Action? { if case .send(let action) = self { action } else { nil } }

  /// Sends, as one step, what `actions` makes of the state as it is when its turn has come; no step when
  /// that is nothing.
  ///
  /// ```swift
  /// return messages.map { message in
  ///   .decide { (state: State) in state.isMuted ? [] : [.received(message), .unread(state.count + 1)] }
  /// }
  /// ```
  ///
  /// It is called where the composer reduces, between two steps: after all actions that were sent before
  /// it. The state is that of the composer that is bound, also for an effect of a child in it: another
  /// type is a programmer's error and traps.
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

  /// The same effect with other actions.
  @inlinable public func map<Other>(_ transform: @escaping @Sendable (Action) -> Other)
    -> Effect<Other>
  {
    switch self {
    case .send(let action): .send(transform(action))
    case .group(let actions): .group(actions.map(transform))
    case .decision(let actions): .decision { actions($0).map(transform) }
    case .none: .none
    }
  }
}

/// What effects are known by where their type is a parameter; ``Effect`` is the one there is.
public protocol EffectProtocol<Action>: Sendable {
  /// The composer's action.
  associatedtype Action: Sendable

  /// Sends an action to the composer.
  static func send(_ action: Action) -> Self
  /// Sends actions that are reduced as one step.
  static func group(_ actions: [Action]) -> Self
  /// Sends what is made of the state when its turn has come, as one step.
  static func decide<State: Sendable>(_ actions: @escaping @Sendable (State) -> [Action]) -> Self
  /// Does nothing.
  static var none: Self { get }
}

extension Observable where Element: EffectProtocol {
  /// Sends `action` to the composer, behind what waits already.
  @inlinable public static func send(_ action: Element.Action) -> Observable {
    .just(.send(action))
  }

  /// Sends `actions` as one step: they are reduced in their order with nothing in between, and the
  /// state is published once.
  @inlinable public static func group(_ actions: Element.Action...) -> Observable { group(actions) }

  /// Sends `actions` as one step: they are reduced in their order with nothing in between, and the
  /// state is published once.
  @inlinable public static func group(_ actions: [Element.Action]) -> Observable {
    .just(.group(actions))
  }

  /// Sends, as one step, what `actions` makes of the state as it is when its turn has come: after all
  /// that was sent before; no step when that is nothing.
  ///
  /// Called where the composer reduces. In a child it is given the state of the composer that is bound,
  /// the parent's: another type is a programmer's error and traps.
  public static func decide<State: Sendable>(
    _ actions: @escaping @Sendable (_ state: State) -> [Element.Action]
  ) -> Observable { .just(.decide(actions)) }

  /// Does nothing.
  @inlinable public static var none: Observable { EffectContext.none() }

  /// Runs `effects` one after the other, each when the one before has ended.
  @inlinable public static func concatenate(_ effects: Observable...) -> Observable {
    .concat(effects)
  }
}
