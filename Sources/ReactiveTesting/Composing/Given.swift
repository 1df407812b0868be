import Compose

/// A composer's reducer on its own: given a state, when actions, then a state and effects.
///
/// ```swift
/// Given(Counter(), Counter.State(count: 1))
///   .when(.increment, .save)
///   .then { $0.count = 2 }
///   .thenSends(.saved)
/// ```
///
/// No effect is started, not even one that only sends: what the reducer returned is a value.
public struct Given<C: Composer> {
  private let composer: C
  private let state: C.State

  /// A composer, which should not be bound, in this state.
  public init(_ composer: C, _ state: C.State) { (self.composer, self.state) = (composer, state) }

  /// Reduces `actions`, one after the other.
  public func when(
    _ actions: C.Action..., file: StaticString = #filePath, line: UInt = #line
  ) -> Reduced<C.State, C.Action> {
    let place = Place(file: file, line: line)
    let time = VirtualTime()
    let context = EffectContext(
      scheduler: time.scheduler, taskExecutor: time.context.taskExecutor,
      onProblem: { place.fail("\($0)") })
    var (last, effects) = (state, [ReducedEffect<C.Action>]())
    EffectContext.$current.withValue(context) {
      Store.bind(composer, to: .virtual(time)) { $0.stub() }
      for action in actions {
        composer.state = last
        effects.append(ReducedEffect(composer.reducer(&last, action), in: last))
      }
    }
    return Reduced(given: state, state: last, effects: effects)
  }
}

/// What a reducer has made of a state.
public struct Reduced<State: Sendable, Action: Sendable> {
  private let given: State
  /// The state after the last action.
  public let state: State
  /// What was returned for each of the actions.
  public let effects: [ReducedEffect<Action>]

  fileprivate init(given: State, state: State, effects: [ReducedEffect<Action>]) {
    (self.given, self.state, self.effects) = (given, state, effects)
  }

  /// The actions of `.send`, `.group` and `.decide`, in their order.
  public var sent: [Action] { effects.flatMap(\.sent) }

  /// Fails the test unless `expect` makes the given state the one after the actions.
  @discardableResult public func then(
    _ expect: (inout State) -> Void, file: StaticString = #filePath, line: UInt = #line
  ) -> Self {
    var expected = given
    expect(&expected)
    let lines = differences(between: state, and: expected)
    if !lines.isEmpty {
      reportFailure(listed("The state is not the expected one:", lines), file: file, line: line)
    }
    return self
  }

  /// Fails the test unless the reducer sends exactly these actions by `.send`, `.group` and `.decide`.
  @discardableResult public func thenSends(
    _ actions: Action..., file: StaticString = #filePath, line: UInt = #line
  ) -> Self {
    if let message = differences(sent, actions, by: { areEqual($0, $1) }) {
      reportFailure("Sent \(message)", file: file, line: line)
    }
    return self
  }
}

/// What a reducer has returned, as a value.
public enum ReducedEffect<Action: Sendable>: Sendable {
  /// `.none`.
  case none
  /// `.send`.
  case send(Action)
  /// `.group`, or what `.decide` makes of the state after its action.
  case group([Action])
  /// Anything that must be started to know what it does: `.run`, `.timer`, `.cancel` and what is made
  /// of several.
  case work

  fileprivate init(_ effect: Observable<Effect<Action>>, in state: any Sendable) {
    self =
      switch effect.shape {
      case .empty, .just(.none): .none
      case .just(.send(let action)): .send(action)
      case .just(.group(let actions)): .group(actions)
      case .just(.decision(let actions)): .group(actions(state))
      default: .work
      }
  }

  fileprivate var sent: [Action] {
    switch self {
    case .send(let action): [action]
    case .group(let actions): actions
    case .none, .work: []
    }
  }
}

extension ReducedEffect: Equatable where Action: Equatable {}
