/// A middleware of a composer: called where the composer reduces, or on the scheduler it names, and
/// then in the order of the actions.
@usableFromInline struct MiddlewareRunner<State, Action> {
  let willReduce: (Action, State) -> Action?
  let didReduce: (Action, State, _ step: Int) -> Void
}

extension Store {
  /// Runs `middleware`; its effects end with the composer.
  func runner(of middleware: any Middleware<C.State, C.Action>)
    -> MiddlewareRunner<C.State, C.Action>
  {
    // By what ends with the composer, and not by the store: it may hold the relay, which holds that.
    ownLifetime.add(ActionDisposable { withExtendedLifetime(middleware) {} })
    let effects = MiddlewareEffects(ownLifetime)
    let context = context.embedding(effects, effects)
    var didReduce = { [weak self, weak middleware] (action: C.Action, state: C.State, step: Int) in
      guard let self, let middleware else { return }
      let effect = context.reducing { middleware.didReduce(action, state) }
      follow(effect, of: action, step, .middleware(step: step), context, heldBy: effects.insert)
    }
    if let scheduler = middleware.scheduler {
      let reduced = PublishRelay<(C.Action, C.State, Int)>()
      let sink = Sink<(C.Action, C.State, Int)>(next: didReduce, end: { _ in })
      ownLifetime.add(reduced.observe(on: scheduler).start(sink))
      didReduce = { reduced.accept(($0, $1, $2)) }
    }
    return MiddlewareRunner(
      willReduce: { [weak middleware] action, state in
        context.reducing { middleware.map { $0.willReduce(action, state) } ?? action }
      }, didReduce: didReduce)
  }
}

/// The effects of a middleware, which end as a whole and with the composer.
final class MiddlewareEffects: Sendable {
  private let owner: Lifetime
  private let running: Locked<Lifetime>

  init(_ owner: Lifetime) { (self.owner, running) = (owner, Locked(Lifetime(parent: owner))) }

  /// Holds `effect`.
  func insert(_ effect: Lifetime) { running.withLock { $0 }.insert(effect) }

  /// Returns those that run, and holds what comes from now on for itself.
  func renew() -> Lifetime { running.replace(with: Lifetime(parent: owner)) }
}
