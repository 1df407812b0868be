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

  /// Called after a call of the reducer with the state that it gives, and with the one that a second call with the
  /// same action and the same state before gives, when ``StoreCore/reducesTwice`` is set.
  func reduced<State, Action>(_ action: Action, _ state: State, again: State)
}

extension StoreObserver {
  package func reduced<State, Action>(_ action: Action, _ state: State, again: State) {}

  /// This tool and `other` as one.
  func and(_ other: any StoreObserver) -> any StoreObserver {
    StoreObservers(all: ((self as? StoreObservers)?.all ?? [self]) + [other])
  }

  /// This tool without `other`; nil when it is that one.
  func without(_ other: any StoreObserver) -> (any StoreObserver)? {
    guard let group = self as? StoreObservers else { return self === other ? nil : self }
    let all = group.all.filter { $0 !== other }
    return all.count > 1 ? StoreObservers(all: all) : all.first
  }
}

/// Several tools of one composer.
private final class StoreObservers: StoreObserver {
  let all: [any StoreObserver]

  init(all: [any StoreObserver]) { self.all = all }

  func stepped(_ step: RecordedStep) { for each in all { each.stepped(step) } }

  func effectStarted(_ number: Int, _ origin: EffectOrigin, id: String?, _ kind: EffectKind?) {
    for each in all { each.effectStarted(number, origin, id: id, kind) }
  }

  func effectEnded(_ number: Int, _ outcome: EffectOutcome, in step: Int?) {
    for each in all { each.effectEnded(number, outcome, in: step) }
  }

  func reduced<State, Action>(_ action: Action, _ state: State, again: State) {
    for each in all { each.reduced(action, state, again: again) }
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
