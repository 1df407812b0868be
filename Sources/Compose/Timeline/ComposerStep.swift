/// One step of a composer.
public struct ComposerStep<State: Sendable, Action: Sendable>: Sendable {
  /// The number of the step, starting at 1.
  public let number: Int
  /// The sender of the actions.
  public let source: ActionSource
  /// The reduced actions: one action, or those of a group.
  public let actions: [Action]
  /// The name of the change that was made before the actions, or without an action: `dismiss Editor`, or
  /// `state` for a write of the whole state from outside; nil for none.
  public let change: String?
  /// The state after the step.
  public package(set) var state: State
  /// The ids, dates and random numbers that the reducer has drawn from ``Dependencies``, in their order.
  public let drawn: [DrawnValue]

  /// A step with these values; for expected timelines in tests.
  public init(
    number: Int, source: ActionSource, actions: [Action], change: String? = nil, state: State,
    drawn: [DrawnValue] = []
  ) {
    self.number = number
    self.source = source
    self.actions = actions
    self.change = change
    self.state = state
    self.drawn = drawn
  }
}

extension ComposerStep: Codable where State: Codable, Action: Codable {
  private enum CodingKeys: CodingKey { case number, source, actions, change, state, drawn }

  /// Decodes a step, also one of a file in which no step has drawn values.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      number: try values.decode(Int.self, forKey: .number),
      source: try values.decode(ActionSource.self, forKey: .source),
      actions: try values.decode([Action].self, forKey: .actions),
      change: try values.decodeIfPresent(String.self, forKey: .change),
      state: try values.decode(State.self, forKey: .state),
      drawn: try values.decodeIfPresent([DrawnValue].self, forKey: .drawn) ?? [])
  }

  /// Encodes the step, with its drawn values if it has any.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(number, forKey: .number)
    try values.encode(source, forKey: .source)
    try values.encode(actions, forKey: .actions)
    try values.encodeIfPresent(change, forKey: .change)
    try values.encode(state, forKey: .state)
    if !drawn.isEmpty { try values.encode(drawn, forKey: .drawn) }
  }
}

/// The sender of an item in the mailbox, which is copied without reference counting, unlike
/// ``ActionSource``.
@usableFromInline enum ActionSender {
  case outside
  case step(Int)
  case effect(Int)

  @usableFromInline var source: ActionSource {
    switch self {
    case .outside: .outside
    case .step(let number): .step(number)
    case .effect(let number): .effect(number)
    }
  }
}

/// The sender of an action.
public enum ActionSource: Codable, Hashable, Sendable {
  /// A user of the relay or the handle: a view, a test, another thread.
  case outside
  /// A `.send` or `.group` that was returned in the step with this number.
  case step(Int)
  /// The effect with this number.
  case effect(Int)
  /// The composer, or other code, of this name that has written a ``SharedValue``; with the step in
  /// which a composer has written it.
  case shared(by: String, step: Int?)
}
