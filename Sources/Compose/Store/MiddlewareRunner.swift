/// A middleware of a composer: called where the composer reduces, or on the scheduler it names, and
/// then in the order of the actions.
@usableFromInline struct MiddlewareRunner<State, Action> {
  let willReduce: (Action, State) -> Action?
  let didReduce: (Action, State, _ step: Int) -> Void
}

extension Store {
  /// Runs `middleware`; its effects end with the composer.
  func runner(of middleware: any Middleware<C.State, C.Action>) -> MiddlewareRunner<
    C.State, C.Action
  > {
    // By what ends with the composer, and not by the store: it may hold the relay, which holds that.
    ownLifetime.add(ActionDisposable { withExtendedLifetime(middleware) {} })
    let effects = MiddlewareEffects(ownLifetime)
    let context = context.embedding(effects, effects)
    let didReduce = { [weak self, weak middleware] (action: C.Action, state: C.State, step: Int) in
      guard let self, let middleware else { return }
      let effect = context.reducing { middleware.didReduce(action, state) }
      switch effect.shape {
      case .empty: break
      case .just(let effect): receive(effect, .step(step))
      default:
        start(effect, .middleware(step: step), context, heldBy: effects.insert) {
          $1.effectFailed($0, from: action)
        }
      }
    }
    let runner = MiddlewareRunner<C.State, C.Action>(
      willReduce: { [weak middleware] action, state in
        context.reducing { middleware.map { $0.willReduce(action, state) } ?? action }
      }, didReduce: didReduce)
    guard let scheduler = middleware.scheduler else { return runner }
    let reduced = PublishRelay<(C.Action, C.State, Int)>()
    let sink = Sink<(C.Action, C.State, Int)>(next: didReduce, end: { _ in })
    ownLifetime.add(reduced.observe(on: scheduler).start(sink))
    return MiddlewareRunner(
      willReduce: runner.willReduce, didReduce: { reduced.accept(($0, $1, $2)) })
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
