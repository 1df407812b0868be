import Dispatch

/// Drives one bound composer: a mailbox, and the rule that one drain at a time runs, where the
/// composer belongs.
///
/// The relay owns the store; the store holds composer and relay weakly. Everything generic is
/// inlinable, so that a program specialises the path of an action: that is a factor of four.
@usableFromInline
final class Store<C: Composer>: @unchecked Sendable {
  /// Where a composer reduces.
  @usableFromInline
  enum Home {
    /// On the main queue.
    case main
    /// On the thread that sends.
    case sender
  }

  /// What waits for the drain.
  @usableFromInline
  enum Mail {
    case action(C.Action)
    case failure(any Error, from: C.Action)
  }

  // `lock` protects `mail`, `isDraining` and `isWoken`. The composer is touched by the drain alone,
  // of which `isDraining` allows one. The rest is immutable.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var mail = Fifo<Mail>()
  @exclusivity(unchecked) @usableFromInline var isDraining = false
  @exclusivity(unchecked) @usableFromInline var isWoken = false
  @usableFromInline weak let composer: C?
  @usableFromInline weak let relay: PublishRelay<C.Action>?
  @usableFromInline let observers: Hub<C.Action>
  @usableFromInline let box: StateBox<C.State>?
  @usableFromInline let home: Home
  @usableFromInline let context: EffectContext

  @usableFromInline
  init(_ composer: C, _ relay: PublishRelay<C.Action>, _ home: Home) {
    self.composer = composer
    self.relay = relay
    observers = relay.hub
    self.home = home
    box = StateSearch.box(of: composer)
    context = EffectContext.here ?? (home == .main ? .main : .global)
    box?.bind()
  }

  /// Binds `composer`, unless it is bound already.
  @inlinable
  static func bind(_ composer: C, to home: Home) {
    let relay = composer.action
    _ = relay.attach {
      let store = Store(composer, relay, home)
      return (store, { store.receive($0) })
    }
  }

  // MARK: Mailbox

  @inlinable
  func receive(_ action: C.Action) {
    let isHome = isHome
    lock.lock()
    if isHome, !isDraining, mail.isEmpty {
      isDraining = true
      lock.unlock()
      reduce(action)
      return drain()
    }
    post(.action(action), isHome)
  }

  /// Queues `item` and sees to it that it is drained.
  ///
  /// The caller holds the lock, which is released here.
  @inlinable
  func post(_ item: Mail, _ isHome: Bool) {
    mail.append(item)
    if isDraining { return lock.unlock() }
    if isHome {
      isDraining = true
      lock.unlock()
      return drain()
    }
    let isAsleep = !isWoken
    isWoken = true
    lock.unlock()
    if isAsleep { wakeOnMain() }
  }

  /// Handles what waits until nothing does, or `limit` of it.
  @inlinable
  func drain(limit: Int = .max) {
    var left = limit
    while true {
      lock.lock()
      if left == 0, !mail.isEmpty {
        isDraining = false
        isWoken = true
        lock.unlock()
        return wakeOnMain()
      }
      left &-= 1
      guard let item = mail.popFirst() else {
        isDraining = false
        return lock.unlock()
      }
      lock.unlock()
      switch item {
      case .action(let action): reduce(action)
      case .failure(let error, let action): composer?.effectFailed(error, from: action)
      }
    }
  }

  @usableFromInline
  func wakeOnMain() {
    DispatchQueue.main.async { [weak self] in self?.wake() }
  }

  @inlinable
  func wake() {
    lock.lock()
    isWoken = false
    if isDraining || mail.isEmpty { return lock.unlock() }
    isDraining = true
    lock.unlock()
    // Busy senders elsewhere must not keep others from the main queue.
    drain(limit: 1_000)
  }

  @usableFromInline var isHome: Bool {
    switch home {
    case .main: MainScheduler.isCurrent
    case .sender: true
    }
  }

  // MARK: One step

  /// Tells who observes the actions, reduces, publishes, starts the effect.
  @inlinable
  func reduce(_ action: C.Action) {
    observers.next(action)
    guard let composer else { return }
    let outer = context.enter()
    let effect: Observable<Effect<C.Action>>
    if let box {
      var state = box.beginReducing()
      effect = composer.reducer(&state, action)
      context.leave(outer)
      box.endReducing(state)
    } else {
      var state = composer.state
      effect = composer.reducer(&state, action)
      context.leave(outer)
      composer.state = state
    }
    switch effect.shape {
    case .empty: break
    case .just(let effect): if let action = effect.action { relay?.accept(action) }
    default: start(effect, action, composer)
    }
  }

  /// Starts `effect`; while it runs, the composer's current bag holds it.
  @inlinable
  func start(_ effect: Observable<Effect<C.Action>>, _ action: C.Action, _ composer: C) {
    let running = Sink<Effect<C.Action>>(
      next: { [weak relay] effect in if let action = effect.action { relay?.accept(action) } },
      end: { [weak self] error in if let error { self?.effectFailed(error, from: action) } }
    )
    composer.disposeBag.insert(running.lifetime)
    EffectContext.$current.withValue(context) { _ = effect.start(running) }
  }

  @usableFromInline
  func effectFailed(_ error: any Error, from action: C.Action) {
    if error is CancellationError { return }
    let isHome = isHome
    lock.lock()
    post(.failure(error, from: action), isHome)
  }
}
