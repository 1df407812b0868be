#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The dependencies and the executor of an effect's composer, which an effect reads when it is
/// created or started.
///
/// A composer that is bound inside a context uses its dependencies, with their clock, and its
/// executor. A test can thus run a whole program in virtual time:
///
/// ```swift
/// let time = TestScheduler(initialClock: 0)
/// let context = EffectContext(scheduler: time)
/// let screen = context.run { Screen() }
/// ```
public final class EffectContext: Sendable {
  /// The dependencies of the composer.
  package let dependencies: Dependencies
  /// Runs the closures of `.run`; nil is the global executor.
  public let taskExecutor: (any TaskExecutor)?
  // Called with problems instead of `ComposeHooks`: fails the test that runs these effects.
  let onProblem: (@Sendable (ComposeProblem) -> Void)?

  // Nil when the context has no owner.
  private let registry: EffectsByID?
  // A composer or a middleware; written by the initializer, and read only where the owner runs.
  private nonisolated(unsafe) weak var owner: AnyObject?
  // Distinguishes the owner's ids from those of others: the registry, a child's relay or the
  // effects of a middleware. Only its address is used. Holding it keeps the address unique and does
  // not keep the owner alive.
  private nonisolated(unsafe) let identity: AnyObject?

  /// A context of the current dependencies with this clock and executor.
  public convenience init(scheduler: any SchedulerType, taskExecutor: (any TaskExecutor)? = nil) {
    var dependencies = Dependencies.current
    dependencies.clock = scheduler
    self.init(dependencies, taskExecutor)
  }

  /// A context without an owner.
  ///
  /// - Parameters:
  ///   - dependencies: without a clock, the clock of a composer's executor is used.
  ///   - taskExecutor: runs the closures of `.run`; nil is the executor's, or the global one.
  ///   - onProblem: called with problems instead of `ComposeHooks`, if any.
  package convenience init(
    _ dependencies: Dependencies, _ taskExecutor: (any TaskExecutor)?,
    onProblem: (@Sendable (ComposeProblem) -> Void)? = nil
  ) {
    self.init(dependencies, taskExecutor, onProblem, nil, owner: nil, identity: nil)
  }

  /// The context of the effects of `owner`.
  init(
    _ dependencies: Dependencies, _ taskExecutor: (any TaskExecutor)?,
    _ onProblem: (@Sendable (ComposeProblem) -> Void)?, _ registry: EffectsByID?,
    owner: AnyObject?, identity: AnyObject?
  ) {
    self.dependencies = dependencies
    self.taskExecutor = taskExecutor
    self.onProblem = onProblem
    self.registry = registry
    self.owner = owner
    self.identity = identity
  }

  /// The name of the composer whose context this is; nil for another one.
  var composerName: String? { registry?.store?.name }

  /// The clock of `.timer` and `.interval` without a scheduler of their own.
  public var scheduler: any SchedulerType { dependencies.clock }

  /// The context of the running task.
  @TaskLocal public static var current: EffectContext?

  /// The clock of the composer whose reducer or effect is running here, otherwise the main queue's.
  ///
  /// For operators in an effect that need a scheduler:
  /// `.run(queries.debounce(.milliseconds(300), scheduler: EffectContext.clock).map { ... })`.
  public static var clock: any SchedulerType { (ambient ?? main).scheduler }

  /// Waits for `interval` on the clock of the running effect.
  ///
  /// `Task.sleep` waits for real time, in a test too.
  ///
  /// - Throws: `CancellationError` when the effect is cancelled during the wait.
  public static func sleep(_ interval: Duration) async throws {
    let clock = (current ?? main).scheduler
    _ = try await Observable<Int>.timer(RxTimeInterval(interval), scheduler: clock)
      .asSingle().value
  }

  /// The main queue's clock and the global executor.
  static let main = EffectContext(Dependencies(), nil)

  /// The context of the reducer that runs on this thread, otherwise that of the running task.
  package static var ambient: EffectContext? {
    context(threadSlot.pointer)
  }

  /// The context of what `reducing`, a pointer of the thread slot, names.
  static func context(_ reducing: UnsafeMutableRawPointer?) -> EffectContext? {
    guard let reducing else { return current }
    return switch reducing.tag {
    case .store: reducing.object(StoreCore.self).context
    case .context: (reducing - Tag.context.rawValue).object(EffectContext.self)
    case .child: (reducing - Tag.child.rawValue).object(ChildContext.self).context
    }
  }

  /// The context that a composer inherits which is bound to `executor` here: the ambient one or, in
  /// a test, that of the executor.
  static func inherited(on executor: any ComposeExecutor) -> EffectContext? {
    ambient ?? (executor as? any ContextualExecutor)?.context
  }

  /// The dependencies of ``ambient``.
  ///
  /// Read without the context of a store, which is created with its first effect.
  static var dependencies: Dependencies {
    dependencies(threadSlot.pointer)
  }

  /// The dependencies of what `reducing`, a pointer of the thread slot, names.
  private static func dependencies(_ reducing: UnsafeMutableRawPointer?) -> Dependencies {
    guard let reducing else { return current?.dependencies ?? Dependencies() }
    return switch reducing.tag {
    case .store: reducing.object(StoreCore.self).dependencies
    case .context: (reducing - Tag.context.rawValue).object(EffectContext.self).dependencies
    case .child: dependencies((reducing - Tag.child.rawValue).object(ChildContext.self).parent)
    }
  }

  /// The effect that does nothing.
  ///
  /// Each composer has one, because most actions return it.
  @inlinable static func none<Element>() -> Observable<Element> {
    guard let emptyEffect, type(of: emptyEffect) == Observable<Element>.self else {
      return .empty()
    }
    return unsafeDowncast(emptyEffect, to: Observable<Element>.self)
  }

  /// The empty effect of the composer whose reducer runs on this thread.
  @usableFromInline static var emptyEffect: (any AnyObject & Sendable)? {
    guard let reducing = threadSlot.pointer, reducing.tag == .store else { return nil }
    return reducing.object(StoreCore.self).emptyEffect
  }

  /// The store of the composer that reduces on this thread, also for a child of it.
  @usableFromInline static var reducingStore: StoreCore? {
    var reducing = threadSlot.pointer
    while let current = reducing {
      switch current.tag {
      case .store: return current.object(StoreCore.self)
      case .context:
        return (current - Tag.context.rawValue).object(EffectContext.self).registry?.store
      case .child: reducing = (current - Tag.child.rawValue).object(ChildContext.self).parent
      }
    }
    return nil
  }

  /// The store of the composer that reduces on this thread, or whose child does; nil in a middleware.
  static var drawingStore: StoreCore? {
    if let reducing = threadSlot.pointer, reducing.tag == .context {
      let context = (reducing - Tag.context.rawValue).object(EffectContext.self)
      if context.owner is MiddlewareEffects { return nil }
    }
    return reducingStore
  }

  /// Whether a reducer runs on this thread.
  static var isReducing: Bool { threadSlot.pointer != nil }

  // The store whose reducer runs on this thread, or a child or the context of a middleware, with its
  // tag in the low bits. Code that stores a pointer here retains the object until it restores the
  // previous pointer. A thread-local costs a tenth of a task-local, and every action sets it.
  private static let threadSlot = ThreadSlot()

  /// What a pointer of the thread slot names.
  fileprivate enum Tag: Int { case store, context, child }

  /// Runs `body` as the reducer of this context.
  func reducing<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.threadSlot.holding(
      Unmanaged.passUnretained(self).toOpaque() + Tag.context.rawValue, body)
  }

  /// Makes the context of `store` the ambient one, until `endReducing(restoring:)` is called with
  /// the returned pointer.
  @usableFromInline static func beginReducing(in store: StoreCore) -> UnsafeMutableRawPointer? {
    let previous = threadSlot.pointer
    threadSlot.pointer = Unmanaged.passUnretained(store).toOpaque()
    return previous
  }

  /// Makes the context of `child`, which the caller retains, the ambient one, like the method above;
  /// without an ambient context there remains none.
  @usableFromInline static func beginReducing(in child: ChildContext) -> UnsafeMutableRawPointer? {
    let previous = threadSlot.pointer
    child.parent = previous
    if previous == nil, current == nil { return nil }
    threadSlot.pointer = Unmanaged.passUnretained(child).toOpaque() + Tag.child.rawValue
    return previous
  }

  @usableFromInline static func endReducing(restoring previous: UnsafeMutableRawPointer?) {
    threadSlot.pointer = previous
  }
}

extension UnsafeMutableRawPointer {
  // Objects are aligned to 16 bytes, so that the low bits of their address are free for the tag.
  fileprivate var tag: EffectContext.Tag {
    switch UInt(bitPattern: self) & 3 {
    case 0: .store
    case 1: .context
    default: .child
    }
  }

  fileprivate func object<Object: AnyObject>(_ type: Object.Type) -> Object {
    Unmanaged<Object>.fromOpaque(self).takeUnretainedValue()
  }
}

// MARK: - The owner of effects

extension EffectContext {
  /// The context of a child or a middleware inside the composer of this context.
  func embedded(owner: AnyObject, identity: AnyObject) -> EffectContext {
    EffectContext(
      dependencies, taskExecutor, onProblem, registry, owner: owner, identity: identity)
  }

  /// Runs `body` with this as the ambient context, also inside the reducer of another composer.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.threadSlot.holding(nil) { try Self.$current.withValue(self, operation: body) }
  }

  /// Runs `body` with `dependencies` in the ambient context, which keeps its owner.
  static func with<Result>(
    _ dependencies: Dependencies, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = ambient
    let context = EffectContext(
      dependencies, outer?.taskExecutor, outer?.onProblem, outer?.registry, owner: outer?.owner,
      identity: outer?.identity)
    return try isReducing ? context.reducing(body) : context.run(body)
  }

  /// The effects of `id`; nil when the context has no owner.
  func identifiedEffects(for id: some Hashable & Sendable) -> EffectsOfOneID? {
    guard let registry, let identity else { return nil }
    return registry.effects(for: EffectKey(owner: identity, id: AnyHashable(id)))
  }

  /// Replaces the owner's bag with a new one, and returns a closure that disposes of the old bag.
  ///
  /// Call it where the owner runs.
  func replaceBag() -> (() -> Void)? {
    guard let composer = owner as? any Composer else {
      return (owner as? MiddlewareEffects)?.replaceRunning().dispose
    }
    defer { composer.disposeBag = DisposeBag() }
    return composer.disposeBag.dispose
  }

  /// Runs `body` where the composer reduces, between two steps.
  func perform(_ body: @escaping @Sendable () -> Void) { registry?.store?.perform(body) }
}
