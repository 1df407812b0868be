import Compose

/// Tests a reducer without its effects: given a state, when actions are reduced, then a state and
/// effects are expected.
///
/// ```swift
/// Given(Counter(), Counter.State(count: 1))
///   .when(.increment, .save)
///   .then { $0.count = 2 }
///   .thenSends(.saved)
/// ```
///
/// No effect is started, not even `.send`: the returned effects are values.
public struct Given<C: Composer> {
  private let composer: C
  private let state: C.State
  private let time = VirtualTime()
  private let context: EffectContext
  private let failures: Locked<[String]>

  /// A composer in this state.
  ///
  /// - Parameters:
  ///   - composer: composer that is not bound.
  ///   - state: state before the first action.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  ///   - change: injects dependencies. The others have the values that their keys declare for
  ///     tests.
  public init(
    _ composer: @autoclosure () -> C, _ state: C.State, file: StaticString = #filePath,
    line: UInt = #line, _ change: (inout Dependencies) -> Void = { _ in }
  ) {
    let failures = Locked<[String]>([])
    context = time.testContext(
      change, onFailure: { message in failures.withLock { $0.append(message) } })
    self.composer = context.run(composer)
    self.state = state
    self.failures = failures
    reportFailures(TestLocation(file: file, line: line))
  }

  /// Reduces `actions` in order.
  public func when(
    _ actions: C.Action..., file: StaticString = #filePath, line: UInt = #line
  ) -> ReductionResult<C.State, C.Action> {
    defer { reportFailures(TestLocation(file: file, line: line)) }
    var last = state
    var effects: [ReturnedEffect<C.Action>] = []
    context.run {
      Store.bind(composer, to: .virtual(time)) { $0.stub() }
      let store = composer.action.attached as? Store<C>
      for action in actions {
        composer.state = last
        let effect = composer.reducer(&last, action)
        store?.updateChildren(last)
        effects.append(ReturnedEffect(effect, in: last))
      }
    }
    return ReductionResult(given: state, state: last, effects: effects)
  }

  private func reportFailures(_ location: TestLocation) {
    for failure in failures.replace(with: []) { location.fail(failure) }
  }
}

/// The state and the effects after ``Given/when(_:file:line:)``.
public struct ReductionResult<State: Sendable, Action: Sendable> {
  private let given: State
  /// The state after the last action.
  public let state: State
  /// The returned effects, one for each action.
  public let effects: [ReturnedEffect<Action>]

  fileprivate init(given: State, state: State, effects: [ReturnedEffect<Action>]) {
    self.given = given
    self.state = state
    self.effects = effects
  }

  /// The actions of all `.send`, `.group` and `.decide`, and those that follow a change, in order.
  ///
  /// The actions of effects that are `work` are unknown, and not among them.
  public var sent: [Action] { effects.flatMap(\.sent) }

  /// Fails the test unless `expect` changes the given state into the state after the actions.
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

  /// Fails the test unless the reducer sends exactly these actions by `.send`, `.group` and
  /// `.decide`, or lets them follow a change.
  ///
  /// What an effect sends that is `work`, such as `.merge`, is unknown: use ``TestComposer`` for it.
  @discardableResult public func thenSends(
    _ actions: Action..., file: StaticString = #filePath, line: UInt = #line
  ) -> Self {
    if let message = differences(sent, actions, by: { areEqual($0, $1) }) {
      reportFailure("Sent \(message)" + workHint, file: file, line: line)
    }
    return self
  }

  /// The end of a failure when a returned effect may send the missing actions.
  private var workHint: String {
    let isWork = effects.map { if case .work = $0 { true } else { false } }
    let positions = isWork.indices.filter { isWork[$0] }.map { "\($0 + 1)" }
    if positions.isEmpty { return "" }
    return """

      What the effect of action \(shortened(positions)) sends is unknown before it is started, as for \
      .merge, .concatenate, .run and timers. Test it with TestComposer.
      """
  }
}

/// An effect that a reducer has returned, as a value.
public enum ReturnedEffect<Action: Sendable>: Sendable {
  /// `.none`.
  case none
  /// `.send`.
  case send(Action)
  /// `.group`, or the actions that `.decide` returns for the state after its action.
  case group([Action])
  /// `.dismiss` of the composer itself.
  case dismiss
  /// A change of the state, by its name, and the action that is reduced after it in the same step:
  /// `dismiss Editor` for a child that dismisses itself, and the action of its `onDismiss`.
  case change(String, followedBy: Action? = nil)
  /// An effect whose elements are unknown before it is started: `.run`, `.timer`, `.cancel`, and
  /// combinations of several effects.
  case work

  fileprivate init(_ effect: Observable<Effect<Action>>, in state: any Sendable) {
    self =
      switch effect.shape {
      case .empty: .none
      case .just(let effect): ReturnedEffect(effect, in: state)
      default: .work
      }
  }

  private init(_ effect: Effect<Action>, in state: any Sendable) {
    self =
      switch effect {
      case .none: .none
      case .send(let action): .send(action)
      case .group(let actions): .group(actions)
      case .decision(let actions): .group(actions(state))
      case .dismiss: .dismiss
      case .guarded(let guarded):
        guarded.isWanted() ? ReturnedEffect(guarded.effect, in: state) : .none
      case .change(let change): .change(change.name, followedBy: change.followingAction(state))
      }
  }

  fileprivate var sent: [Action] {
    switch self {
    case .send(let action): [action]
    case .group(let actions): actions
    case .change(_, let action): [action].compactMap(\.self)
    case .none, .dismiss, .work: []
    }
  }
}

extension ReturnedEffect: Equatable where Action: Equatable {}
