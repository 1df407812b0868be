/// What an effect's observable emits: an action for the composer, or nothing.
public enum Effect<Action: Sendable>: EffectProtocol {
  /// Sends an action to the composer.
  case send(Action)
  /// Does nothing.
  case none

  /// The action of `send`.
  @inlinable
  public var action: Action? {
    if case .send(let action) = self { action } else { nil }
  }
}

/// What effects are known by where their type is a parameter; ``Effect`` is the one there is.
public protocol EffectProtocol<Action>: Sendable {
  /// The composer's action.
  associatedtype Action: Sendable

  /// Sends an action to the composer.
  static func send(_ action: Action) -> Self
  /// Does nothing.
  static var none: Self { get }

  /// The action of `send`.
  var action: Action? { get }
}

extension Observable where Element: EffectProtocol {
  /// Sends `action` to the composer, behind what waits already.
  @inlinable
  public static func send(_ action: Element.Action) -> Observable<Element> {
    .just(.send(action))
  }

  /// Does nothing.
  @inlinable
  public static var none: Observable<Element> { .empty() }
}
