/// Runs a middleware of a composer: where the composer reduces, or on the scheduler it names, and then
/// in the order of the actions.
@usableFromInline
final class MiddlewareRunner<State: Sendable, Action: Sendable>: @unchecked Sendable {
  // Immutable; the relay guards itself.
  private let middleware: any Middleware<State, Action>
  private let context: EffectContext
  private let reduced = PublishRelay<(action: Action, state: State, step: Int)>()

  init(_ middleware: any Middleware<State, Action>, _ context: EffectContext) {
    (self.middleware, self.context) = (middleware, context)
  }

  func willReduce(_ action: Action, _ state: State) -> Action? {
    let outer = context.enter()
    defer { EffectContext.leave(outer) }
    return middleware.willReduce(action, state)
  }

  func didReduce(_ action: Action, _ state: State, _ step: Int) {
    reduced.accept((action, state, step))
  }

  /// Hands `follow` what the middleware returns for each action.
  func start(_ follow: @escaping (Observable<Effect<Action>>, Action, _ step: Int) -> Void)
    -> any Disposable
  {
    let source = middleware.scheduler.map { reduced.observe(on: $0) } ?? reduced.asObservable()
    return source.start(
      Sink(
        next: { [middleware, context] action, state, step in
          let outer = context.enter()
          let effect = middleware.didReduce(action, state)
          EffectContext.leave(outer)
          follow(effect, action, step)
        }, end: { _ in }))
  }
}

extension Store {
  /// Runs `middleware`; its effects end with the composer.
  func runner(of middleware: any Middleware<C.State, C.Action>) -> MiddlewareRunner<
    C.State, C.Action
  > {
    let holder = EffectHolder()
    let context = context.embedding(holder, holder)
    let runner = MiddlewareRunner(middleware, context)
    let running = runner.start { [weak self] effect, action, step in
      guard let self else { return }
      switch effect.shape {
      case .empty: break
      case .just(let effect): receive(effect, .step(step))
      default:
        let running = self.runner(.middleware(step: step), context) { error, composer in
          composer.effectFailed(error, from: action)
        }
        holder.insert(running.lifetime)
        context.run { _ = effect.start(running) }
      }
    }
    ownLifetime.add(running)
    ownLifetime.add(ActionDisposable { holder.end() })
    return runner
  }
}
