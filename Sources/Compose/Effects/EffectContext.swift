#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an effect finds when it is made or started: the clock and the executor of its composer.
///
/// A composer that is bound inside a context takes it over, which is how a test puts a whole program
/// on virtual time:
///
/// ```swift
/// let time = TestScheduler(initialClock: 0)
/// let context = EffectContext(scheduler: time)
/// let screen = context.run { Screen() }
/// ```
public final class EffectContext: Sendable {
  /// The clock of `.timer` and `.interval` without a scheduler of their own.
  public let scheduler: any SchedulerType
  /// Runs the closures of `.run`; nil is the global executor.
  public let taskExecutor: (any TaskExecutor)?
  // Told of problems instead of `ComposeHooks`: fails the test that runs these effects.
  let onProblem: (@Sendable (ComposeProblem) -> Void)?

  // Whose effects these are; nil when the context is nobody's. The owner is a composer or a
  // middleware, and touched where that one runs alone.
  private let slots: EffectSlots?
  private nonisolated(unsafe) weak let owner: AnyObject?
  // What its ids are told from others' by: the slots, a child's relay or a middleware's effects. Only its
  // address counts, which nobody else has as long as it is held; it does not keep the owner alive.
  private nonisolated(unsafe) let identity: AnyObject?

  /// A context of this clock and executor.
  public convenience init(scheduler: any SchedulerType, taskExecutor: (any TaskExecutor)? = nil) {
    self.init(scheduler: scheduler, taskExecutor: taskExecutor, onProblem: nil)
  }

  /// A context of this clock and executor, in which problems are reported to `onProblem`.
  package init(
    scheduler: any SchedulerType, taskExecutor: (any TaskExecutor)?,
    onProblem: (@Sendable (ComposeProblem) -> Void)?
  ) {
    (self.scheduler, self.taskExecutor) = (scheduler, taskExecutor)
    (self.onProblem, slots, owner, identity) = (onProblem, nil, nil, nil)
  }

  /// The effects of `owner`, by this clock and executor.
  init(_ clock: EffectContext, _ slots: EffectSlots?, of owner: AnyObject?, _ identity: AnyObject?)
  {
    (scheduler, taskExecutor) = (clock.scheduler, clock.taskExecutor)
    (onProblem, self.slots) = (clock.onProblem, slots)
    (self.owner, self.identity) = (owner, identity)
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
  package static var here: EffectContext? {
    guard let reducing = slot.pointer else { return current }
    guard reducing.isContext else { return reducing.object(StoreCore.self).context }
    return reducing.untagged.object(EffectContext.self)
  }

  /// The effect that does nothing: made once for the composer whose reducer runs here, where most
  /// actions have no other.
  @inlinable static func none<Element>() -> Observable<Element> {
    guard let nothing, type(of: nothing) == Observable<Element>.self else { return .empty() }
    return unsafeDowncast(nothing, to: Observable<Element>.self)
  }

  @usableFromInline static var nothing: (any AnyObject & Sendable)? {
    guard let reducing = slot.pointer, !reducing.isContext else { return nil }
    return reducing.object(StoreCore.self).nothing
  }

  /// Whether a reducer runs on this thread.
  static var isReducing: Bool { slot.pointer != nil }

  // What reduces on this thread: a store, or the context of a child or a middleware, with bit 0 set.
  // Whoever enters holds it until it leaves. A thread-local costs a tenth of a task-local, and every
  // action sets it.
  private static let slot = ThreadSlot()

  /// Runs `body` as what the reducer of this context does.
  func reducing<Result>(_ body: () -> Result) -> Result {
    Self.slot.holding(Unmanaged.passUnretained(self).toOpaque().tagged, body)
  }

  /// Makes the context of `store` that of the reducer that runs next; returns what was before, for
  /// `leave`.
  @usableFromInline static func enter(_ store: StoreCore) -> UnsafeMutableRawPointer? {
    let before = slot.pointer
    slot.pointer = Unmanaged.passUnretained(store).toOpaque()
    return before
  }

  @usableFromInline static func leave(_ before: UnsafeMutableRawPointer?) { slot.pointer = before }
}

extension UnsafeMutableRawPointer {
  // Objects are aligned to 16 bytes.
  fileprivate var isContext: Bool { UInt(bitPattern: self) & 1 == 1 }
  fileprivate var tagged: UnsafeMutableRawPointer { self + 1 }
  fileprivate var untagged: UnsafeMutableRawPointer { self - 1 }

  fileprivate func object<Object: AnyObject>(_ type: Object.Type) -> Object {
    Unmanaged<Object>.fromOpaque(self).takeUnretainedValue()
  }
}

// MARK: - Whose effects these are

extension EffectContext {
  /// The context of a child that is embedded in the composer of this one, or of a middleware.
  func embedding(_ owner: AnyObject, _ identity: AnyObject) -> EffectContext {
    EffectContext(self, slots, of: owner, identity)
  }

  /// Runs `body` where this is the context, whosever reducer has called it.
  @usableFromInline func run<Result>(_ body: () -> Result) -> Result {
    Self.slot.holding(nil) { Self.$current.withValue(self, operation: body) }
  }

  /// What is known of the effects of `id`; nil when they are nobody's.
  func slot(for id: some Hashable & Sendable) -> EffectSlot? {
    guard let slots, let identity else { return nil }
    return slots.slot(for: EffectSlot.Key(owner: identity, id: AnyHashable(id)))
  }

  /// Puts a new bag in the place of the owner's, and returns what ends the effects in the old one.
  ///
  /// To be called where the owner runs.
  func renewBag() -> (() -> Void)? {
    guard let composer = owner as? any Composer else {
      return (owner as? MiddlewareEffects)?.renew().dispose
    }
    defer { composer.disposeBag = DisposeBag() }
    return composer.disposeBag.dispose
  }

  /// Runs `body` where the composer reduces, between two steps.
  func perform(_ body: @escaping @Sendable () -> Void) { slots?.store?.perform(body) }
}
