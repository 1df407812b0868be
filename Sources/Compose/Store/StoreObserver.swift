/// A tool that records the steps and effects of a composer, without its types.
///
/// Methods are called on the thread on which the step or the event happens: steps one at a time, events of
/// effects also at the same time as others.
@usableFromInline package protocol StoreObserver: AnyObject, Sendable {
  /// Called after the state of a step was published, and before its effects start.
  func stepped(_ step: RecordedStep)

  /// Called when an effect starts.
  ///
  /// - Parameter kind: nil when it is not known.
  func effectStarted(_ number: Int, _ origin: EffectOrigin, id: String?, _ kind: EffectKind?)

  /// Called when an effect has ended.
  ///
  /// - Parameter step: the number of the step in which it was cancelled; nil when it was not cancelled, or
  ///   not by a step.
  func effectEnded(_ number: Int, _ outcome: EffectOutcome, in step: Int?)
}

/// The tools that record the steps of a store.
@usableFromInline struct StoreTools {
  // Apart from the others, because there is mostly one: no array is read for each step.
  private var first: (any StoreObserver)?
  private var others: [any StoreObserver] = []

  @usableFromInline var isEmpty: Bool { first == nil }

  mutating func append(_ tool: any StoreObserver) {
    if first == nil { first = tool } else { others.append(tool) }
  }

  mutating func remove(_ tool: any StoreObserver) {
    let remaining = ([first].compactMap { $0 } + others).filter { $0 !== tool }
    (first, others) = (remaining.first, Array(remaining.dropFirst()))
  }

  /// Calls the tools with a step.
  @usableFromInline func step(_ step: RecordedStep) {
    first?.stepped(step)
    for tool in others { tool.stepped(step) }
  }
}

/// A step as a tool keeps it, with its actions and its state behind one type for all.
@usableFromInline package class RecordedStep: @unchecked Sendable {
  // Immutable, and the subclass has Sendable values.
  /// The number of the step of its composer.
  package final let number: Int
  package final let source: ActionSource
  /// The name of the change; nil for none.
  package final let change: String?

  @usableFromInline init(_ number: Int, _ source: ActionSource, _ change: String?) {
    (self.number, self.source, self.change) = (number, source, change)
  }

  /// The actions of the step.
  package var actions: [any Sendable] { [] }

  /// The state after the step.
  package var state: any Sendable { () }

  /// What the reducer has drawn from its dependencies.
  package var drawn: [DrawnValue] { [] }
}

/// The actions of a step: mostly one, which needs no array.
@frozen @usableFromInline package enum StepActions<Action> {
  case one(Action)
  case several([Action])

  @inlinable package var array: [Action] {
    switch self {
    case .one(let action): [action]
    case .several(let actions): actions
    }
  }
}

/// A step with its types; the subclasses have its actions.
@usableFromInline
package class TypedStep<State: Sendable, Action: Sendable>: RecordedStep, @unchecked Sendable {
  // Immutable.
  /// The state after the step.
  @usableFromInline package final let typedState: State

  // Inlinable: a program specialises it with the action path, which makes it ten times as fast.
  @inlinable init(_ number: Int, _ source: ActionSource, _ change: String?, _ state: State) {
    typedState = state
    super.init(number, source, change)
  }

  /// A step with these actions.
  @inlinable package static func make(
    number: Int, source: ActionSource, actions: StepActions<Action>, change: String?, state: State,
    drawn: [DrawnValue] = []
  ) -> TypedStep {
    if !drawn.isEmpty { return StepWithDraws(drawn, actions.array, number, source, change, state) }
    return switch actions {
    case .one(let action): StepOfOneAction(action, number, source, change, state)
    case .several(let actions): StepOfActions(actions, number, source, change, state)
    }
  }

  /// The actions of the step.
  package var typedActions: [Action] { [] }

  package override final var actions: [any Sendable] { typedActions }

  package override final var state: any Sendable { typedState }

  /// The step of a timeline.
  package final var step: ComposerStep<State, Action> {
    ComposerStep(
      number: number, source: source, actions: typedActions, change: change, state: typedState,
      drawn: drawn)
  }
}

/// A step of one action, which needs no array.
@usableFromInline
final class StepOfOneAction<State: Sendable, Action: Sendable>: TypedStep<State, Action>,
  @unchecked Sendable
{
  @usableFromInline let action: Action

  @inlinable init(
    _ action: Action, _ number: Int, _ source: ActionSource, _ change: String?, _ state: State
  ) {
    self.action = action
    super.init(number, source, change, state)
  }

  override var typedActions: [Action] { [action] }
}

/// A step whose reducer has drawn from its dependencies.
@usableFromInline
final class StepWithDraws<State: Sendable, Action: Sendable>: StepOfActions<State, Action>,
  @unchecked Sendable
{
  @usableFromInline let drawnValues: [DrawnValue]

  @inlinable init(
    _ drawn: [DrawnValue], _ actions: [Action], _ number: Int, _ source: ActionSource,
    _ change: String?, _ state: State
  ) {
    drawnValues = drawn
    super.init(actions, number, source, change, state)
  }

  override var drawn: [DrawnValue] { drawnValues }
}

/// A step of several actions, or of none.
@usableFromInline
class StepOfActions<State: Sendable, Action: Sendable>: TypedStep<State, Action>,
  @unchecked Sendable
{
  @usableFromInline final let several: [Action]

  @inlinable init(
    _ actions: [Action], _ number: Int, _ source: ActionSource, _ change: String?, _ state: State
  ) {
    several = actions
    super.init(number, source, change, state)
  }

  override final var typedActions: [Action] { several }
}
