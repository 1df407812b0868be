import Synchronization

/// The part of a store that does not depend on the composer's types.
@usableFromInline package class StoreCore: @unchecked Sendable {
  // `lock` protects the properties that subclasses name.
  @usableFromInline final let lock = Lock()
  @usableFromInline final let executor: any ComposeExecutor
  /// Whether other composers wait for the threads of the executor.
  @usableFromInline final let isOnPool: Bool
  /// Whether items of the mailbox need more than to be handled: it is bounded, or tools record the steps.
  ///
  /// Accessed where the composer reduces.
  @exclusivity(unchecked) @usableFromInline final var isAttended: Bool
  /// Whether the unbounded mailbox was reported as long; protected by `lock`.
  @exclusivity(unchecked) final var isReportedLong = false
  private final let inheritedContext: EffectContext?
  private final let lazyContext = LazyReference<EffectContext>()
  /// Holds what ends with the composer and not with its bag; created in the drain.
  final let lazyComposerLifetime = LazyReference<Lifetime>()
  /// The composer's name; created when it is first needed, unless the composer has one of its own.
  @usableFromInline final let lazyName = LazyReference<ComposerName>()
  /// The number of actions and groups that wait to be reduced.
  package final var queueDepth: Int { lock.withLock { pendingActionCount } }

  /// Calls `body` when the composer has been released.
  package func whenEnded(_ body: @escaping @Sendable () -> Void) {}

  /// What others have written to the shared values; created when a part of the state is shared.
  @usableFromInline final let lazySharedInbox = LazyReference<SharedInbox>()
  /// The number of effects that were started.
  @usableFromInline final let startedEffects = Atomic(0)
  /// The effect that does nothing, of the composer's action type.
  @usableFromInline final let emptyEffect: any AnyObject & Sendable
  /// The number of items in the mailbox from which on ``MailboxLimit`` decides; protected by `lock`.
  ///
  /// 0 while tools record the steps, so that each item then takes the slow path, where it is given the
  /// event in whose delivery it is sent.
  @exclusivity(unchecked) @usableFromInline final var mailboxThreshold = StoreCore.longMailbox
  /// What is known of a bounded mailbox; nil for an unbounded one.
  @usableFromInline final let mailboxLimit: MailboxLimit?

  /// The tool that records the steps, which may stand for several; accessed where the composer reduces.
  ///
  /// A store with a tool has a tracer too, so that steps of other stores look for none.
  @exclusivity(unchecked) @usableFromInline final var tool: (any StoreObserver)?
  /// Whether the trace was ever read, or a draw recorded: otherwise a step need not ask the tracer.
  @usableFromInline final let isTraced = Atomic(false)

  /// Whether a test asserts the steps: a dismissal without a parent is a step then, and no problem.
  ///
  /// Set before the first step.
  package final var isTested = false
  /// Whether the reducer is called a second time for each action, whose result the tools compare with the first.
  ///
  /// Set before the first step.
  @exclusivity(unchecked) @usableFromInline package final var reducesTwice = false

  @usableFromInline init(
    _ executor: any ComposeExecutor, _ mailbox: BufferingPolicy = .unbounded,
    emptyEffect: any AnyObject & Sendable
  ) {
    self.executor = HostSystem.current?.guarding(executor) ?? executor
    isOnPool = executor is PoolExecutor
    mailboxLimit = .of(mailbox)
    isAttended = mailboxLimit != nil || HostSystem.current != nil
    if let mailboxLimit { mailboxThreshold = mailboxLimit.count }
    self.emptyEffect = emptyEffect
    inheritedContext = EffectContext.inherited(on: executor)
  }

  deinit { endComposerLifetime() }

  // MARK: Simulated hosts

  final var isOnHost: Bool { executor is HostExecutor }

  /// Whether a simulation lets the composer make another step: not after too many within a moment.
  @usableFromInline final var mayStep: Bool { HostSystem.current?.admitsStep() ?? true }

  // MARK: Stub mode

  @usableFromInline final let stubbed = Atomic(false)

  /// Whether actions are delivered to the observers of `action` and not reduced.
  @inlinable final var isStubbed: Bool { stubbed.load(ordering: .relaxed) }

  /// From now on, delivers actions to the observers of `action` and reduces none.
  package final func stub() { stubbed.store(true, ordering: .relaxed) }

  // MARK: The composer

  /// Runs `body` where the composer reduces, between two steps.
  package func perform(_ body: @escaping @Sendable () -> Void) {}

  /// The composer.
  var owner: AnyObject? { nil }

  /// The context of the composer's effects; created when it is first read.
  @usableFromInline package final var context: EffectContext {
    lazyContext.object {
      let registry = EffectsByID(self)
      return EffectContext(
        dependencies, inheritedContext?.taskExecutor ?? executor.taskExecutor,
        inheritedContext?.onProblem, registry, owner: owner, identity: registry)
    }
  }

  /// The dependencies of the composer, with its executor's clock unless it has inherited another.
  final var dependencies: Dependencies {
    var dependencies = inheritedContext?.dependencies ?? Dependencies()
    if dependencies.injectedClock == nil { dependencies.clock = executor.scheduler }
    return dependencies
  }

  /// Whether the composer may reduce on the current thread.
  @inlinable final var isOnExecutor: Bool { executor.isCurrent }

  /// Called when the state was written outside a reduction.
  func stateWritten() {}

  /// The composer's name in problems and logs.
  @usableFromInline package var name: String { "" }

  /// The number of the last step.
  var stepNumber: Int { 0 }

  /// What the reducer draws, accessed where the composer reduces; nil when no tool records it.
  var draws: StepDraws? { nil }

  /// The number of items that wait to be handled; the caller holds the lock.
  var pendingCount: Int { 0 }

  /// The number of actions and groups that wait to be reduced; the caller holds the lock.
  var pendingActionCount: Int { 0 }

  /// What others have written to the shared values of the composer and its children.
  final var sharedInbox: SharedInbox { lazySharedInbox.object { SharedInbox() } }

  /// Disposes of what ends with the composer.
  @usableFromInline final func endComposerLifetime() { lazyComposerLifetime.object?.dispose() }

  /// Reports a problem of the composer to the test that runs it, otherwise to ``ComposeHooks``.
  final func report(_ problem: ComposeProblem) {
    (inheritedContext?.onProblem ?? ComposeHooks.onProblem)(problem)
  }

  #if DEBUG
  /// Reports that the handle of the composer is released while actions wait, which are dropped.
  final func reportUnreducedActions() {
    let count = lock.withLock { pendingActionCount }
    if count > 0 { report(.releasedWithActions(composer: name, count: count)) }
  }
  #endif

  // MARK: The effect that does nothing

  // Shared by all composers of an action type: one for each would be a tenth of a composer's
  // memory.
  private static let emptyEffects = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  static func emptyEffect<Element>(of type: Element.Type) -> any AnyObject & Sendable {
    emptyEffects.withLock { all in
      let effect = all[ObjectIdentifier(type)] ?? Observable<Element>.empty()
      all[ObjectIdentifier(type)] = effect
      return effect
    }
  }
}
