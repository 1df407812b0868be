/// Runs one bound composer: a mailbox, and one drain at a time, where the composer belongs.
///
/// The relay owns the store; the store holds the composer weakly. All generic code is inlinable, so
/// that a program specialises the path of an action, which makes it four times as fast.
@usableFromInline
package final class Store<C: Composer>: TracedStore<C.State, C.Action>, @unchecked Sendable {
  /// An item in the mailbox.
  @usableFromInline enum MailboxItem {
    case action(C.Action, ActionSender)
    case group([C.Action], ActionSender)
    /// Work to run between two steps.
    case work((C) -> Void)
    /// An action from outside that the composer's `transform(action:)` receives first.
    case untransformed(C.Action)
    /// An item that was sent while a tool delivered an event.
    indirect case delivered(MailboxItem, DeliveredEvent)

    @usableFromInline var isFromOutside: Bool {
      switch self {
      case .action(_, .outside), .untransformed: true
      case .action, .group, .work: false
      case .delivered(let item, _): item.isFromOutside
      }
    }

    var isWork: Bool {
      switch self {
      case .work: true
      case .delivered(let item, _): item.isWork
      case .action, .group, .untransformed: false
      }
    }

    var description: String {
      switch self {
      case .action(let action, _), .untransformed(let action): "\(action)"
      case .group(let actions, _): "\(actions)"
      case .work: "work"
      case .delivered(let item, _): item.description
      }
    }
  }

  // `lock` protects `mailbox`, `isDraining` and `isWakeScheduled`; `drainingThread` is written
  // under it. The composer, `followUpCount`, `dismissals` and the properties of the steps are accessed
  // by the drain alone; `isDraining` allows one drain. The rest is immutable.
  @exclusivity(unchecked) @usableFromInline var mailbox = Fifo<MailboxItem>()
  @exclusivity(unchecked) @usableFromInline var isDraining = true
  @exclusivity(unchecked) @usableFromInline var isWakeScheduled = false
  @exclusivity(unchecked) @usableFromInline var drainingThread = threadIdentity()
  /// The number of items that the draining thread itself has enqueued during this drain; 0 on a pool,
  /// where a composer that sends to itself must not keep its thread from others.
  @exclusivity(unchecked) @usableFromInline var followUpCount = 0
  /// The dismissals that the last step has returned, which have their turns before the mailbox.
  @exclusivity(unchecked) @usableFromInline
  var dismissals: [(effect: Effect<C.Action>, sender: ActionSender)] = []
  /// Emits the actions from outside to the composer's `transform(action:)`; nil without one.
  @exclusivity(unchecked) @usableFromInline var transformInput: PublishSubject<C.Action>?
  // Written by the initializer only.
  @exclusivity(unchecked) @usableFromInline weak var composer: C?
  @usableFromInline let observers: ObserverHub<C.Action>
  @usableFromInline let box: StateBox<C.State>?

  // Properties of the steps.
  @exclusivity(unchecked) @usableFromInline var stepCount = 0
  /// Whether the composer may have state effects; false when its `stateEffects(_:)` is the default.
  @exclusivity(unchecked) @usableFromInline var hasStateEffects = true
  /// Whether a step has nothing to do with state effects and children, and calls the reducer once.
  @exclusivity(unchecked) @usableFromInline var isPlain = false
  /// The composer's state effects; nil until there are any.
  @exclusivity(unchecked) @usableFromInline var stateEffects: RunningStateEffects?
  /// The children that the composer declares; nil for none.
  ///
  /// Weak, because a child may hold the relay, which holds the store.
  @usableFromInline let children: [WeakChild<C.State, C.Action>]?
  /// The shared parts of the composer's own state; nil for none.
  @usableFromInline let sharedParts: [SharedPart<C.State>]?
  /// Whether children that appear may share parts of their states.
  @exclusivity(unchecked) @usableFromInline var mayAdopt = true
  @exclusivity(unchecked) @usableFromInline var middleware = [MiddlewareRunner<C.State, C.Action>]()

  @usableFromInline init(
    _ composer: C, _ relay: PublishRelay<C.Action>, _ executor: any ComposeExecutor
  ) {
    self.composer = composer
    observers = relay.hub
    box = StateBoxLookup.box(of: composer)
    let children = declaredChildren(of: composer)
    self.children = children.isEmpty ? nil : children.map { WeakChild($0) }
    sharedParts = children.isEmpty ? nil : findSharedParts(among: children)
    for part in sharedParts ?? [] { part.adopt(&composer.state) }
    #if DEBUG
    if sharedParts == nil {
      reportSharedWithNobody(C.self, box?.value ?? composer.state, children)
    }
    #endif
    super.init(executor, composer.mailbox, emptyEffect: Self.emptyEffect(of: Effect<C.Action>.self))
    let name = composer.name
    if !name.isEmpty { _ = lazyName.object { ComposerName(name) } }
  }

  /// Binds `composer`, unless it is already bound.
  ///
  /// - Parameter prepare: called before any action is reduced and any effect starts.
  @inlinable package static func bind(
    _ composer: C, to executor: some ComposeExecutor, _ prepare: (Store) -> Void = { _ in }
  ) {
    let relay = composer.action
    var created: Store?
    _ = relay.attach {
      let store = Store(composer, relay, executor)
      created = store
      prepare(store)
      if !store.isStubbed { store.adoptSharedValues(of: composer) }
      return (store, store.bindStateAndTransform(composer) ?? { store.receive($0) })
    }
    guard let created else { return }
    if StoreBindings.areObserved { StoreBindings.report(created) }
    created.startDraining(composer)
  }

  // MARK: Mailbox

  @inlinable func receive(_ action: C.Action) {
    let isOnExecutor = isOnExecutor
    lock.lock()
    guard isOnExecutor, !isDraining, mailbox.isEmpty else {
      return enqueue(.action(action, .outside), isOnExecutor)
    }
    beginDraining()
    reduce(action, .outside)
    drain(atMost: 1_000)
  }

  /// Handles `item` after the items in the mailbox.
  ///
  /// With `later`, or on another thread, that happens in a turn of the executor.
  @inlinable func receive(_ item: MailboxItem, later: Bool = false) {
    let isOnExecutor = !later && isOnExecutor
    lock.lock()
    enqueue(item, isOnExecutor)
  }

  /// Appends `item` to the mailbox, and drains the mailbox or schedules a drain.
  ///
  /// The caller holds the lock; this releases it.
  @inlinable func enqueue(_ item: MailboxItem, _ isOnExecutor: Bool) {
    if mailbox.count >= mailboxThreshold {
      enqueueSlowly(item, isOnExecutor)
    } else {
      append(item, isOnExecutor)
    }
  }

  /// Appends `item` to a mailbox that tools record, that is full, or so long that it is reported.
  ///
  /// The caller holds the lock; this releases it.
  @inlinable @inline(never) func enqueueSlowly(_ sent: MailboxItem, _ isOnExecutor: Bool) {
    var item = sent
    if mailboxThreshold == 0, let event = DeliveredEvent.current { item = .delivered(sent, event) }
    if mailbox.count < fullThreshold {
      append(item, isOnExecutor)
    } else {
      enqueueBeyondThreshold(item, isOnExecutor)
    }
  }

  @inlinable func append(_ item: MailboxItem, _ isOnExecutor: Bool) {
    mailbox.append(item)
    if isDraining {
      if drainingThread == threadIdentity(), !isOnPool { followUpCount &+= 1 }
      lock.unlock()
    } else if isOnExecutor {
      let count = mailbox.count
      beginDraining()
      drain(atMost: count &+ 1_000)
    } else {
      scheduleWake()
    }
  }

  /// The caller holds the lock; this releases it.
  @inlinable func beginDraining() {
    isDraining = true
    drainingThread = threadIdentity()
    followUpCount = 0
    lock.unlock()
  }

  /// Handles items until the mailbox is empty.
  ///
  /// Other threads may enqueue items without end. So that they do not occupy this thread for ever,
  /// the remaining items are handled in another turn of the executor after `limit` items of others.
  @inlinable func drain(atMost limit: Int) {
    var handled = 0
    while true {
      if !dismissals.isEmpty { performDismissals() }
      lock.lock()
      guard handled &- followUpCount < limit, let item = mailbox.popFirst() else {
        isDraining = false
        return mailbox.isEmpty ? lock.unlock() : scheduleWake()
      }
      lock.unlock()
      handled &+= 1
      if isAttended { attend(item) } else { handle(item) }
    }
  }

  @inlinable @inline(__always) func handle(_ item: MailboxItem) {
    switch item {
    case .action(let action, let source): reduce(action, source)
    case .group(let actions, let source): reduce(actions, source)
    case .work(let body): if let composer { body(composer) } else { endComposerLifetime() }
    case .untransformed(let action): transformInput?.onNext(action)
    case .delivered: attend(item)
    }
  }

  /// Handles an item of a mailbox that is bounded, of a composer that tools record, or on a simulated host.
  ///
  /// The event of the thread is that of the item's sender, and not that in whose delivery the mailbox is
  /// drained.
  @inlinable @inline(never) func attend(_ item: MailboxItem) {
    guard mayStep else { return }
    tracer?.stepBeforeItem = stepCount
    if mailboxLimit != nil { resumeSender() }
    if case .delivered(let sent, let event) = item {
      let outer = DeliveredEvent.begin(event)
      handle(sent)
      DeliveredEvent.end(event, restoring: outer)
    } else if tool == nil || DeliveredEvent.current == nil {
      handle(item)
    } else {
      let outer = DeliveredEvent.begin(nil)
      handle(item)
      DeliveredEvent.end(nil, restoring: outer)
    }
  }

  /// Schedules a drain on the executor, unless one is scheduled.
  ///
  /// The caller holds the lock; this releases it.
  @inlinable func scheduleWake() {
    let mustSchedule = !isWakeScheduled
    isWakeScheduled = true
    lock.unlock()
    guard mustSchedule else { return }
    // The store is Sendable. The closure's type is not, because it names the composer's type; no
    // other code calls the closure.
    nonisolated(unsafe) let wake: () -> Void = { [weak self] in self?.wake() }
    executor.enqueue { wake() }
  }

  /// Drains the mailbox in a turn of the executor.
  @inlinable func wake() {
    lock.lock()
    isWakeScheduled = false
    if isDraining || mailbox.isEmpty { return lock.unlock() }
    beginDraining()
    drain(atMost: 1_000)
  }

  // MARK: For tools

  package override var currentState: C.State? { box?.value ?? composer?.state }

  package override var typeName: String { String(reflecting: C.self).withoutAddresses }

  package override var childSummaries: [ChildSummary] {
    guard let children, let state = currentState else { return [] }
    return children.compactMap { $0.declaration?.summary(in: state) }
  }

  package override func send(_ action: C.Action) {
    receive(
      .work { [weak self] _ in
        guard let self else { return }
        if let transformInput { transformInput.onNext(action) } else { reduce(action, .outside) }
      })
  }

  package override func whenEnded(_ body: @escaping @Sendable () -> Void) {
    receive(.work { [weak self] _ in self?.composerLifetime.add(ActionDisposable(body)) })
  }

  // MARK: For the effects

  override var owner: AnyObject? { composer }

  package override var name: String { lazyName.object { ComposerName(nextOf: C.self) }.text }

  override var stepNumber: Int { stepCount }

  /// The number of the step whose effects this thread starts and ends; nil when it makes none.
  @usableFromInline var endingStep: Int? {
    guard let tracer, lock.withLock({ isDraining && drainingThread == threadIdentity() }) else {
      return nil
    }
    return stepCount > tracer.stepBeforeItem ? stepCount : nil
  }

  override var pendingCount: Int { mailbox.count }

  override var pendingActionCount: Int {
    (0..<mailbox.count).count { !mailbox[$0].isWork }
  }

  override func stateWritten() {
    receive(.work { [weak self] in self?.updateStateEffects($0) })
  }

  override func perform(_ change: StateChange) { receive(.change(change), .outside) }

  package override func perform(_ body: @escaping @Sendable () -> Void) {
    receive(.work { _ in body() })
  }
}
