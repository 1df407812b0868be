import Synchronization

/// What of a store does not depend on its composer's types.
@usableFromInline package class StoreCore: @unchecked Sendable {
  // `lock` protects what subclasses say.
  @usableFromInline final let lock = Lock()
  @usableFromInline final let executor: any ComposeExecutor
  private final let outer: EffectContext?
  private final let madeContext = LazyReference<EffectContext>()
  /// Holds what ends with the composer, and not with its bag; made by the drain.
  final let own = LazyReference<Lifetime>()
  /// How many effects were started.
  @usableFromInline final let effects = Atomic(0)
  /// The composer's effect that does nothing.
  @usableFromInline final let nothing: any AnyObject & Sendable

  @usableFromInline init(_ executor: any ComposeExecutor, nothing: any AnyObject & Sendable) {
    (self.executor, self.nothing) = (executor, nothing)
    outer = EffectContext.here
  }

  deinit { endOwn() }

  /// Runs `body` where the composer reduces, between two steps.
  func perform(_ body: @escaping @Sendable () -> Void) {}

  /// The composer.
  var owner: AnyObject? { nil }

  /// The context of the composer's effects: made when it is first asked for.
  @usableFromInline final var context: EffectContext {
    madeContext.object {
      let slots = EffectSlots(self)
      let clock =
        outer ?? EffectContext(scheduler: executor.scheduler, taskExecutor: executor.taskExecutor)
      return EffectContext(clock, slots, of: owner, slots)
    }
  }

  /// Whether it may reduce here and now.
  @inlinable final var isHome: Bool { executor.isCurrent }

  /// Hears that the state was written, not by a reduction.
  func stateWritten() {}

  /// Ends what ends with the composer.
  @usableFromInline final func endOwn() { own.object?.dispose() }

  // MARK: The effect that does nothing

  // One for all composers of an action: it would be a tenth of what a composer takes.
  private static let nothings = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  static func nothing<Element>(_ type: Element.Type) -> any AnyObject & Sendable {
    nothings.withLock { all in
      let nothing = all[ObjectIdentifier(type)] ?? Observable<Element>.empty()
      all[ObjectIdentifier(type)] = nothing
      return nothing
    }
  }
}
