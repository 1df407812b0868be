/// What a step has reduced: an action, or a change.
@usableFromInline enum ReducedPart<Action: Sendable> {
  case action(Action)
  case change(String)

  var failureSource: EffectFailure<Action>.Source {
    switch self {
    case .action(let action): .action(action)
    case .change(let change): .change(change)
    }
  }
}

/// Calls one middleware where the composer reduces, or on the middleware's scheduler in the order
/// of the actions.
@usableFromInline struct MiddlewareRunner<State, Action: Sendable> {
  let willReduce: (Action, State) -> Action?
  /// Called with the state after the step.
  let didReduce: (ReducedPart<Action>, State, _ step: Int) -> Void
}

extension Store {
  /// Creates the runner of `middleware`, whose effects end with the composer.
  func runner(of middleware: any Middleware<C.State, C.Action>)
    -> MiddlewareRunner<C.State, C.Action>
  {
    // The composer's lifetime holds the middleware. The store must not: the middleware may hold the
    // relay, which holds the store.
    composerLifetime.add(ActionDisposable { withExtendedLifetime(middleware) {} })
    let effects = MiddlewareEffects(composerLifetime)
    let context = context.embedded(owner: effects, identity: effects)
    typealias Reduced = (part: ReducedPart<C.Action>, state: C.State, step: Int)
    var didReduce = { [weak self, weak middleware] (reduced: Reduced) in
      guard let self, let middleware else { return }
      let effect = context.reducing {
        switch reduced.part {
        case .action(let action): middleware.didReduce(action, reduced.state)
        case .change(let change): middleware.didChange(change, reduced.state)
        }
      }
      run(
        effect, sentBy: .step(reduced.step), .middleware(step: reduced.step),
        reduced.part.failureSource,
        context,
        insertInto: effects.insert)
    }
    if let scheduler = middleware.scheduler {
      let reduced = PublishRelay<Reduced>()
      let sink = Sink<Reduced>(next: didReduce, end: { _ in })
      composerLifetime.add(reduced.observe(on: scheduler).start(sink))
      didReduce = { reduced.accept($0) }
    }
    return MiddlewareRunner(
      willReduce: { [weak middleware] action, state in
        context.reducing { middleware.map { $0.willReduce(action, state) } ?? action }
      }, didReduce: { didReduce(($0, $1, $2)) })
  }
}

/// The running effects of a middleware.
///
/// They end together by `cancelAll`, and with the composer.
final class MiddlewareEffects: Sendable {
  private let composerLifetime: Lifetime
  private let running: Locked<Lifetime>

  init(_ composerLifetime: Lifetime) {
    self.composerLifetime = composerLifetime
    running = Locked(Lifetime(parent: composerLifetime))
  }

  /// Adds a running effect.
  func insert(_ effect: Lifetime) { running.withLock { $0 }.insert(effect) }

  /// Returns the lifetime of the running effects, and holds later effects in a new one.
  func replaceRunning() -> Lifetime { running.replace(with: Lifetime(parent: composerLifetime)) }
}
