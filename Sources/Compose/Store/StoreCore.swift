import Synchronization

/// Where a composer reduces: told apart without asking the executor, where that is known.
@usableFromInline enum Home: UInt8 {
  /// On the main queue.
  case main
  /// On the thread that sends.
  case sender
  /// Wherever the executor says.
  case elsewhere
}

/// What of a store does not depend on its composer's types.
@usableFromInline class StoreCore: @unchecked Sendable {
  // `lock` protects what subclasses say.
  @usableFromInline final let lock = Lock()
  @usableFromInline final let home: Home
  private final let executor: any ComposeExecutor
  private final let outer: EffectContext?
  private final let madeContext = LazyReference<EffectContext>()
  /// Holds what ends with the composer, and not with its bag; made by the drain.
  final let own = LazyReference<Lifetime>()
  private final let effects = Atomic(0)
  /// The composer's effect that does nothing.
  @usableFromInline final let nothing: any AnyObject & Sendable

  @usableFromInline init(_ executor: any ComposeExecutor, nothing: any AnyObject & Sendable) {
    self.executor = executor
    home =
      executor is MainQueueExecutor ? .main : executor is CallerRunsExecutor ? .sender : .elsewhere
    outer = EffectContext.here
    self.nothing = nothing
  }

  deinit { endOwn() }

  /// Runs `body` where the composer reduces, between two steps.
  func perform(_ body: @escaping @Sendable () -> Void) {}

  /// The composer.
  var owner: AnyObject? { nil }

  /// The context of the composer's effects: made when it is first asked for.
  @usableFromInline final var context: EffectContext {
    madeContext.object {
      let slots = EffectSlots()
      let clock =
        outer ?? EffectContext(scheduler: executor.scheduler, taskExecutor: executor.taskExecutor)
      return EffectContext(clock, slots, of: owner, slots)
    }
  }

  // MARK: Where it reduces

  /// Whether it may reduce here and now.
  @usableFromInline final var isHome: Bool {
    switch home {
    case .main: MainScheduler.isCurrent
    case .sender: true
    case .elsewhere: executor.isCurrent
    }
  }

  /// Has this drain what waits, in a turn of its own.
  final func wakeLater() { executor.enqueue { [weak self] in self?.wake() } }

  /// Drains what waits.
  @usableFromInline func wake() {}

  /// Hears that the state was written, not by a reduction.
  func stateWritten() {}

  /// The number of an effect that starts.
  @usableFromInline final func nextEffect() -> Int {
    effects.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Ends what ends with the composer.
  @usableFromInline final func endOwn() { own.object?.dispose() }
}
