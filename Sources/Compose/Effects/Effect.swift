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
  /// Does nothing.
  case none

  /// The action of `send`; nil for other cases.
  @inlinable public var action: Action? { if case .send(let action) = self { action } else { nil } }

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
  /// sent earlier. It receives the state of the bound composer; in a child that is the parent's
  /// state. Another `State` type is a programmer's error and traps.
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

  /// The same effect with transformed actions.
  @inlinable public func map<Other>(_ transform: @escaping @Sendable (Action) -> Other)
    -> Effect<Other>
  {
    switch self {
    case .send(let action): .send(transform(action))
    case .group(let actions): .group(actions.map(transform))
    case .decision(let decide): .decision { decide($0).map(transform) }
    case .none: .none
    }
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
  /// Does nothing.
  static var none: Self { get }
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
  /// receives the state of the bound composer; in a child that is the parent's state. Another
  /// `State` type is a programmer's error and traps.
  public static func decide<State: Sendable>(
    _ actions: @escaping @Sendable (_ state: State) -> [Element.Action]
  ) -> Observable { .just(.decide(actions)) }

  /// Does nothing.
  @inlinable public static var none: Observable { EffectContext.none() }

  /// Runs `effects` in sequence: each starts when the previous one has completed.
  @inlinable public static func concatenate(_ effects: Observable...) -> Observable {
    .concat(effects)
  }
}
