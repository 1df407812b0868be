/// Actions that are reduced as one step, written as a list with `if`, `switch` and `for`.
///
/// ```swift
/// ActionGroup {
///   Action.loaded(chat)
///   if let message = chat.lastMessage { Action.received(message) }
/// }
/// ```
public struct ActionGroup<Action: Sendable>: Sendable {
  /// The actions in order; those of groups inside it among them.
  public var actions: [Action]

  /// A group of these.
  public init(_ actions: [Action] = []) { self.actions = actions }

  /// A group of what `actions` lists.
  public init(@ActionGroupBuilder<Action> _ actions: () -> [Action]) { self.actions = actions() }

  /// Adds an action at the end.
  public mutating func append(_ action: Action) { actions.append(action) }

  /// Adds an action before the one at `index`.
  public mutating func insert(_ action: Action, at index: Int) {
    actions.insert(action, at: index)
  }
}

extension ActionGroup: Equatable where Action: Equatable {}

/// Writes the actions of an ``ActionGroup``.
@resultBuilder public enum ActionGroupBuilder<Action: Sendable> {
  /// One action.
  public static func buildExpression(_ action: Action) -> [Action] { [action] }
  /// The actions of another group.
  public static func buildExpression(_ group: ActionGroup<Action>) -> [Action] { group.actions }
  /// Nothing, as of a `let` or a call.
  public static func buildExpression(_ nothing: Void) -> [Action] { [] }
  /// All of them.
  public static func buildBlock(_ actions: [Action]...) -> [Action] { actions.flatMap { $0 } }
  /// Those of an `if`.
  public static func buildOptional(_ actions: [Action]?) -> [Action] { actions ?? [] }
  /// Those of a first case.
  public static func buildEither(first actions: [Action]) -> [Action] { actions }
  /// Those of another case.
  public static func buildEither(second actions: [Action]) -> [Action] { actions }
  /// Those of a loop.
  public static func buildArray(_ actions: [[Action]]) -> [Action] { actions.flatMap { $0 } }
  /// Those of `if #available`.
  public static func buildLimitedAvailability(_ actions: [Action]) -> [Action] { actions }
}
