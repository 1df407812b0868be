import Foundation

/// What an effect finds when it is made or started: the clock and the executor of its composer.
///
/// A composer that is bound inside a context takes it over, which is how a test puts a whole program
/// on virtual time:
///
/// ```swift
/// let time = TestScheduler(initialClock: 0)
/// let context = EffectContext(scheduler: time)
/// let screen = EffectContext.$current.withValue(context) { Screen() }
/// ```
public final class EffectContext: Sendable {
  /// The clock of `.timer` and `.interval` without a scheduler of their own.
  public let scheduler: any SchedulerType
  /// Runs the closures of `.run`; nil is the global executor.
  public let taskExecutor: (any TaskExecutor)?

  // Whose effects these are; nil when the context is nobody's. The owner is a composer or a
  // middleware, and touched where that one runs alone.
  private let slots: EffectSlots?
  /// The composer's effect that does nothing.
  @usableFromInline let nothing: (AnyObject & Sendable)?
  private nonisolated(unsafe) weak let owner: AnyObject?

  /// A context of this clock and executor.
  public init(scheduler: any SchedulerType, taskExecutor: (any TaskExecutor)? = nil) {
    (self.scheduler, self.taskExecutor) = (scheduler, taskExecutor)
    (slots, owner, nothing) = (nil, nil, nil)
  }

  private init(
    _ other: EffectContext, _ slots: EffectSlots?, _ owner: AnyObject, nothing: (AnyObject & Sendable)? = nil
  ) {
    (scheduler, taskExecutor) = (other.scheduler, other.taskExecutor)
    (self.slots, self.owner, self.nothing) = (slots, owner, nothing)
  }

  /// The context of the running task.
  @TaskLocal public static var current: EffectContext?

  /// The clock of the composer whose reducer or effect this is, else the main queue's.
  ///
  /// For operators in an effect that take a scheduler:
  /// `.run(queries.debounce(.milliseconds(300), scheduler: EffectContext.clock).map { ... })`.
  public static var clock: any SchedulerType { (here ?? main).scheduler }

  /// Waits for `interval` by the clock of the effect that it is called in; `Task.sleep` waits for real
  /// time, under a test too.
  ///
  /// - Throws: `CancellationError`, when the effect is cancelled meanwhile.
  public static func sleep(_ interval: RxTimeInterval) async throws {
    let clock = (current ?? main).scheduler
    _ = try await Observable<Int>.timer(interval, scheduler: clock).asSingle().value
  }

  /// The main queue's clock and the global executor.
  static let main = EffectContext(scheduler: MainScheduler.instance)

  /// The context of the reducer that runs on this thread, or of the running task.
  static var here: EffectContext? { reducing ?? current }

  /// The effect that does nothing: made once for the composer whose reducer runs here, where most
  /// actions have no other.
  @inlinable static func none<Element>() -> Observable<Element> {
    guard let nothing = reducing?.nothing, type(of: nothing) == Observable<Element>.self else {
      return .empty()
    }
    return unsafeDowncast(nothing, to: Observable<Element>.self)
  }

  /// Whether a reducer runs on this thread.
  static var isReducing: Bool { slot.pointer != nil }

  // A thread-local costs a tenth of a task-local, and every action sets it. What it points to is
  // held by the store whose reducer runs.
  private static let slot = ThreadSlot()

  /// The context of the reducer that runs on this thread.
  @usableFromInline static var reducing: EffectContext? {
    slot.pointer.map { Unmanaged<EffectContext>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Makes this the context of the reducer that runs next; returns the one before, for `leave`.
  @usableFromInline func enter() -> UnsafeMutableRawPointer? {
    let before = Self.slot.pointer
    Self.slot.pointer = Unmanaged.passUnretained(self).toOpaque()
    return before
  }

  @usableFromInline func leave(_ before: UnsafeMutableRawPointer?) { Self.slot.pointer = before }
}

// MARK: - Whose effects these are

extension EffectContext {
  /// The context of `composer`, which is bound where this is the context, or on `executor`.
  ///
  /// - Parameter nothing: its effect that does nothing.
  @usableFromInline static func binding(
    _ composer: AnyObject, on executor: any ComposeExecutor, nothing: AnyObject & Sendable
  ) -> EffectContext {
    let outer =
      here ?? EffectContext(scheduler: executor.scheduler, taskExecutor: executor.taskExecutor)
    return EffectContext(outer, EffectSlots(), composer, nothing: nothing)
  }

  /// Has `perform` reach `store`.
  @usableFromInline func attach(to store: StoreCore) { slots?.attach(to: store) }

  /// The context of a child that is embedded in the composer of this one, or of a middleware.
  @usableFromInline func embedding(_ owner: AnyObject) -> EffectContext {
    EffectContext(self, slots, owner)
  }

  /// What is known of the effects of `id`; nil when they are nobody's.
  func slot(for id: some Hashable & Sendable) -> EffectSlot? {
    guard let slots, let owner else { return nil }
    return slots.slot(for: EffectSlot.Key(owner: ObjectIdentifier(owner), id: AnyHashable(id)))
  }

  /// Puts a new bag in the place of the owner's, which is returned.
  ///
  /// To be called where the owner runs.
  func replaceBag() -> DisposeBag? {
    if let composer = owner as? any Composer {
      let old = composer.disposeBag
      composer.disposeBag = DisposeBag()
      return old
    }
    return (owner as? EffectHolder)?.replaceBag()
  }

  /// Runs `body` where the composer reduces, between two steps.
  func perform(_ body: @escaping @Sendable () -> Void) { slots?.store?.perform(body) }
}
