/// Runs a middleware of a composer: where the composer reduces, or on the executor it names, and then
/// in the order of the actions.
@usableFromInline
final class MiddlewareRunner<State: Sendable, Action: Sendable>: @unchecked Sendable {
  typealias Mail = (action: Action, state: State, step: Int)

  // `lock` protects `mail` and `isWoken`; the rest is immutable.
  private let lock = Lock()
  private var mail = Fifo<Mail>()
  private var isWoken = false
  private let middleware: any Middleware<State, Action>
  private let context: EffectContext
  private let follow: (Observable<Effect<Action>>, Mail) -> Void

  /// - Parameter follow: does what the middleware has returned.
  init(
    _ middleware: any Middleware<State, Action>, _ context: EffectContext,
    _ follow: @escaping (Observable<Effect<Action>>, Mail) -> Void
  ) { (self.middleware, self.context, self.follow) = (middleware, context, follow) }

  func willReduce(_ action: Action, _ state: State) -> Action? {
    let outer = context.enter()
    defer { EffectContext.leave(outer) }
    return middleware.willReduce(action, state)
  }

  func didReduce(_ action: Action, _ state: State, _ step: Int) {
    guard let executor = middleware.executor else { return handle((action, state, step)) }
    let isAsleep = lock.withLock {
      mail.append((action, state, step))
      defer { isWoken = true }
      return !isWoken
    }
    if isAsleep { executor.enqueue { self.drain() } }
  }

  private func drain() {
    while true {
      let next = lock.withLock {
        if mail.isEmpty { isWoken = false }
        return mail.popFirst()
      }
      guard let next else { return }
      handle(next)
    }
  }

  private func handle(_ mail: Mail) {
    let outer = context.enter()
    let effect = middleware.didReduce(mail.action, mail.state)
    EffectContext.leave(outer)
    follow(effect, mail)
  }
}

extension Store {
  /// Runs `middleware`; its effects end with the composer.
  func runner(of middleware: any Middleware<C.State, C.Action>) -> MiddlewareRunner<
    C.State, C.Action
  > {
    let holder = EffectHolder()
    let context = context.embedding(holder)
    ownLifetime.add(ActionDisposable { holder.end() })
    return MiddlewareRunner(middleware, context) { [weak self] effect, mail in
      guard let self else { return }
      switch effect.shape {
      case .empty: break
      case .just(let effect): receive(effect, .step(mail.step))
      default:
        let running = runner(.middleware(step: mail.step), context) { error, composer in
          composer.effectFailed(error, from: mail.action)
        }
        holder.insert(running.lifetime)
        EffectContext.$current.withValue(context) { _ = effect.start(running) }
      }
    }
  }
}
