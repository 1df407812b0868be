/// Drives one bound composer: a mailbox, and the rule that one drain at a time runs, where the
/// composer belongs.
///
/// The relay owns the store; the store holds the composer weakly. Everything generic is inlinable, so
/// that a program specialises the path of an action: that is a factor of four.
@usableFromInline
package final class Store<C: Composer>: TracedStore<C.State, C.Action>, @unchecked Sendable {
  /// What waits for the drain.
  @usableFromInline enum Mail {
    case action(C.Action, ActionSource)
    case group([C.Action], ActionSource)
    /// Something else to do, not in the middle of a step.
    case other((C) -> Void)
  }

  // `lock` protects `mail`, `isDraining` and `isWoken`, and `drainer` changes under it. The composer,
  // `followUps` and what the steps keep are touched by the drain alone, of which `isDraining` allows
  // one. The rest is immutable.
  @exclusivity(unchecked) @usableFromInline var mail = Fifo<Mail>()
  @exclusivity(unchecked) @usableFromInline var isDraining = true
  @exclusivity(unchecked) @usableFromInline var isWoken = false
  @exclusivity(unchecked) @usableFromInline var drainer = threadIdentity()
  @exclusivity(unchecked) @usableFromInline var followUps = 0
  @usableFromInline weak let composer: C?
  @usableFromInline let observers: Hub<C.Action>
  @usableFromInline let box: StateBox<C.State>?

  // What the steps keep.
  @exclusivity(unchecked) @usableFromInline var steps = 0
  @exclusivity(unchecked) @usableFromInline var live = [(id: AnyHashable, lifetime: Lifetime)]()
  @exclusivity(unchecked) @usableFromInline var middleware = [MiddlewareRunner<C.State, C.Action>]()

  @usableFromInline init(
    _ composer: C, _ relay: PublishRelay<C.Action>, _ executor: any ComposeExecutor
  ) {
    self.composer = composer
    observers = relay.hub
    box = StateSearch.box(of: composer)
    super.init(executor, nothing: Self.nothing(Effect<C.Action>.self))
  }

  /// Binds `composer`, unless it is bound already.
  ///
  /// - Parameter prepare: called before anything starts.
  @inlinable package static func bind(
    _ composer: C, to executor: some ComposeExecutor, _ prepare: (Store) -> Void = { _ in }
  ) {
    let relay = composer.action
    var made: Store?
    _ = relay.attach {
      let store = Store(composer, relay, executor)
      made = store
      prepare(store)
      return (store, store.entrance(composer) ?? { store.receive($0) })
    }
    made?.begin(composer)
  }

  // MARK: Mailbox

  @inlinable func receive(_ action: C.Action) {
    let isHome = isHome
    lock.lock()
    guard isHome, !isDraining, mail.isEmpty else { return post(.action(action, .outside), isHome) }
    beginDraining()
    reduce(action, .outside)
    drain(atMost: 1_000)
  }

  /// Handles `item` now or after what waits or, `later`, in a turn of its own.
  @inlinable func receive(_ item: Mail, later: Bool = false) {
    let isHome = !later && isHome
    lock.lock()
    post(item, isHome)
  }

  /// Queues `item` and sees to it that it is drained.
  ///
  /// The caller holds the lock, which is released here.
  @inlinable func post(_ item: Mail, _ isHome: Bool) {
    mail.append(item)
    if isDraining {
      if drainer == threadIdentity() { followUps &+= 1 }
      lock.unlock()
    } else if isHome {
      let count = mail.count
      beginDraining()
      drain(atMost: count &+ 1_000)
    } else {
      wakeUnlessWoken()
    }
  }

  /// The caller holds the lock, which is released here.
  @inlinable func beginDraining() {
    isDraining = true
    drainer = threadIdentity()
    followUps = 0
    lock.unlock()
  }

  /// Handles what waits until nothing does.
  ///
  /// What others send while this thread is at it must not keep it here for ever: after `limit` of them
  /// the rest has a turn of its own.
  @inlinable func drain(atMost limit: Int) {
    var handled = 0
    while true {
      lock.lock()
      guard handled &- followUps < limit, let item = mail.popFirst() else {
        isDraining = false
        return mail.isEmpty ? lock.unlock() : wakeUnlessWoken()
      }
      lock.unlock()
      handled &+= 1
      switch item {
      case .action(let action, let source): reduce(action, source)
      case .group(let actions, let source): reduce(actions, source)
      case .other(let body): if let composer { body(composer) } else { endOwn() }
      }
    }
  }

  /// The caller holds the lock, which is released here.
  @inlinable func wakeUnlessWoken() {
    let isAsleep = !isWoken
    isWoken = true
    lock.unlock()
    guard isAsleep else { return }
    // The store is Sendable, and only the type of its composer is not, which nobody else sees.
    nonisolated(unsafe) let wake: () -> Void = { [weak self] in self?.wake() }
    executor.enqueue { wake() }
  }

  /// Drains what waits, in a turn of its own: inlinable, so that it is specialised like the rest.
  @inlinable func wake() {
    lock.lock()
    isWoken = false
    if isDraining || mail.isEmpty { return lock.unlock() }
    beginDraining()
    drain(atMost: 1_000)
  }

  override var owner: AnyObject? { composer }

  override func stateWritten() {
    receive(.other { [weak self] in self?.refresh($0.subscriptions($0.state)) })
  }

  override func perform(_ body: @escaping @Sendable () -> Void) { receive(.other { _ in body() }) }
}
