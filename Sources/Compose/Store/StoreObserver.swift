/// A tool that records the steps and effects of a composer, without its types.
///
/// Methods are called on the thread on which the step or the event happens: steps one at a time, events of
/// effects also at the same time as others.
@usableFromInline package protocol StoreObserver: AnyObject, Sendable {
  /// Called after the state of a step was published, and before its effects start.
  func stepped(_ step: RecordedStep)

  /// Called when an effect starts.
  func effectStarted(_ number: Int, _ origin: EffectOrigin, id: String?)

  /// Called when an effect has ended.
  func effectEnded(_ number: Int, _ outcome: EffectOutcome)
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
}

/// A step with its types.
@usableFromInline
package final class TypedStep<State: Sendable, Action: Sendable>: RecordedStep,
  @unchecked Sendable
{
  /// The actions of the step.
  @usableFromInline package let typedActions: [Action]
  /// The state after the step.
  @usableFromInline package let typedState: State

  // Inlinable: a program specialises it with the action path, which makes it ten times as fast.
  @inlinable package init(
    number: Int, source: ActionSource, actions: [Action], change: String?, state: State
  ) {
    (typedActions, typedState) = (actions, state)
    super.init(number, source, change)
  }

  package override var actions: [any Sendable] { typedActions }

  package override var state: any Sendable { typedState }

  /// The step of a timeline.
  package var step: ComposerStep<State, Action> {
    ComposerStep(
      number: number, source: source, actions: typedActions, change: change, state: typedState)
  }
}
