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
  // `lock` protects `own`, and what subclasses say.
  @usableFromInline final let lock = Lock()
  @usableFromInline final let home: Home
  @usableFromInline final let executor: any ComposeExecutor
  @exclusivity(unchecked) private final var own: Lifetime?
  private final let effects = Atomic(0)

  @usableFromInline init(_ executor: any ComposeExecutor) {
    self.executor = executor
    home =
      switch executor {
      case is MainQueueExecutor: .main
      case is CallerRunsExecutor: .sender
      default: .elsewhere
      }
  }

  deinit { own?.dispose() }

  /// Runs `body` where the composer reduces, between two steps.
  func perform(_ body: @escaping @Sendable () -> Void) {}

  /// Whether it may reduce here and now.
  @usableFromInline final var isHome: Bool {
    switch home {
    case .main: MainScheduler.isCurrent
    case .sender: true
    case .elsewhere: executor.isCurrent
    }
  }

  /// Drains what waits.
  @usableFromInline func wake() {}

  /// Has this drain what waits, when it still exists.
  final var wakening: @Sendable () -> Void { { [weak self] in self?.wake() } }

  /// The number of an effect that starts.
  @usableFromInline final func nextEffect() -> Int {
    effects.wrappingAdd(1, ordering: .relaxed).newValue
  }

  // MARK: What is in no bag

  /// Holds what ends with the composer, and not with its bag: the effects that the state asks for, and
  /// the middleware's.
  ///
  /// - Parameter make: called once, to have it ended with the composer.
  final func own(_ make: () -> Void) -> Lifetime {
    lock.lock()
    if let own {
      lock.unlock()
      return own
    }
    let made = Lifetime()
    own = made
    lock.unlock()
    make()
    return made
  }

  /// Ends what ends with the composer.
  @usableFromInline final func endOwn() { lock.withLock { own }?.dispose() }
}

/// A bag that is replaced as a whole.
final class EffectHolder: Sendable {
  private let bag = Locked<DisposeBag?>(DisposeBag())

  /// Puts a new bag in the place of the one there is, which is returned.
  func replaceBag() -> DisposeBag? {
    bag.withLock { bag in
      defer { if bag != nil { bag = DisposeBag() } }
      return bag
    }
  }

  /// Holds `effect`, or disposes of it when this has ended.
  func insert(_ effect: Lifetime) {
    if let bag = bag.withLock({ $0 }) { bag.insert(effect) } else { effect.dispose() }
  }

  /// Ends what it holds, and what it is given from now on.
  func end() { bag.replace(with: nil)?.dispose() }
}
