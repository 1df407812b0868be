/// Actions that are reduced as one step, written as a list with `if`, `switch` and `for`.
///
/// ```swift
/// ActionGroup {
///   Action.loaded(chat)
///   if let message = chat.lastMessage { Action.received(message) }
/// }
/// ```
public struct ActionGroup<Action: Sendable>: Sendable {
  /// The actions in order, including those of nested groups.
  public var actions: [Action]

  /// Creates a group of these actions.
  public init(_ actions: [Action] = []) { self.actions = actions }

  /// Creates a group of the actions that `actions` lists.
  public init(@ActionGroupBuilder<Action> _ actions: () -> [Action]) { self.actions = actions() }

  /// Adds an action at the end.
  public mutating func append(_ action: Action) { actions.append(action) }

  /// Adds an action before the one at `index`.
  public mutating func insert(_ action: Action, at index: Int) {
    actions.insert(action, at: index)
  }
}

extension ActionGroup: Equatable where Action: Equatable {}

/// Builds the actions of an ``ActionGroup``.
@resultBuilder public enum ActionGroupBuilder<Action: Sendable> {
  /// One action.
  public static func buildExpression(_ action: Action) -> [Action] { [action] }
  /// The actions of another group.
  public static func buildExpression(_ group: ActionGroup<Action>) -> [Action] { group.actions }
  /// No action, for a statement such as `let` or a call.
  public static func buildExpression(_ nothing: Void) -> [Action] { [] }
  /// The actions of all statements, in order.
  public static func buildBlock(_ actions: [Action]...) -> [Action] { actions.flatMap { $0 } }
  /// The actions of an `if` without `else`.
  public static func buildOptional(_ actions: [Action]?) -> [Action] { actions ?? [] }
  /// The actions of an `if` branch or of an earlier `switch` case.
  public static func buildEither(first actions: [Action]) -> [Action] { actions }
  /// The actions of an `else` branch or of a later `switch` case.
  public static func buildEither(second actions: [Action]) -> [Action] { actions }
  /// The actions of all iterations of a loop.
  public static func buildArray(_ actions: [[Action]]) -> [Action] { actions.flatMap { $0 } }
  /// The actions of an `if #available`.
  public static func buildLimitedAvailability(_ actions: [Action]) -> [Action] { actions }
}
