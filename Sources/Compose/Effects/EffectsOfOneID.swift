import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the effects of one id of one owner share: those that run, the one that waits, and the order
/// of creation.
///
/// It is released with the last effect, cancellation or throttling interval of the id.
final class EffectsOfOneID: @unchecked Sendable {
  // `lock` protects the mutable properties below it, except those with their own synchronization.
  // No lifetime is disposed of while the lock is held.
  let lock = Lock()
  private let key: EffectKey
  private let registry: EffectsByID
  var running = Lifetime()
  private let lastNumber = Atomic(0)
  private(set) var lastCancelledNumber = 0
  /// The number of times that all running effects were replaced or cancelled.
  private(set) var replacementCount = 0
  private var throttledSince: UInt64?
  // Keeps this object until the end of the interval. Weak, because the timer holds this object.
  private weak var intervalTimer: Lifetime?
  /// The throttled effect that waits for the end of the interval.
  private var waitingThrottled: Lifetime?

  init(_ key: EffectKey, _ registry: EffectsByID) {
    self.key = key
    self.registry = registry
  }

  deinit { registry.remove(key) }

  #if DEBUG
  /// Notes that an effect has the id.
  func noteUse() { registry.usedIDs.insert(key) }

  /// Reports a cancellation by an id that no effect has had.
  ///
  /// Not to a test, which a stop before a start must not fail.
  func reportIfUnused() {
    guard registry.usedIDs.isSuspicious(key), let composer = registry.store?.name else { return }
    ComposeHooks.onProblem(.cancelledUnusedID(composer: composer, id: "\(key.id)"))
  }
  #endif

  /// The number of an effect, or of a cancellation, that is being created.
  func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Whether an effect may start in this way now.
  func isAllowed(_ start: EffectTicket.Start) -> Bool { lock.withLock { allows(start) } }

  /// Whether an effect may start in this way now; the caller holds the lock.
  func allows(_ start: EffectTicket.Start) -> Bool {
    switch start {
    case .first(let number): number > lastCancelledNumber
    case .afterFailure(let replacements): replacements == replacementCount
    case .again: true
    }
  }

  /// Ends the running and the waiting effects of every number.
  ///
  /// Effects with a lower number than `number` that have not started are invalid from now on.
  func cancel(invalidatingBefore number: Int) {
    let (ended, waiting, timer) = lock.withLock {
      lastCancelledNumber = max(lastCancelledNumber, number)
      throttledSince = nil
      return (removeRunning(), waitingThrottled.take(), intervalTimer)
    }
    ended.dispose()
    waiting?.dispose()
    timer?.dispose()
  }

  /// Returns the running effects and begins an empty set; the caller holds the lock.
  func removeRunning() -> Lifetime {
    replacementCount += 1
    defer { running = Lifetime() }
    return running
  }

  /// Whether no effect was replaced or cancelled after this number of replacements.
  func isLatest(_ replacements: Int) -> Bool { lock.withLock { replacements == replacementCount } }

  // MARK: Throttling

  /// What happens to a throttled effect that is started.
  enum ThrottledStart: Equatable {
    /// It starts now, and begins an interval.
    case now
    /// It waits for this time, until the end of the interval.
    case after(RxTimeInterval)
    /// It does not start.
    case never
  }

  /// Decides about an effect that is started now, when at most one may start in `interval`.
  ///
  /// - Parameters:
  ///   - latest: whether an effect that is started during an interval waits for its end
  ///   - isDue: true when the effect has waited, and starts in any case
  func throttledStart(
    every interval: RxTimeInterval, latest: Bool, isDue: Bool, _ clock: any SchedulerType
  ) -> ThrottledStart {
    let now = clock.uptimeNanoseconds
    let (start, waited): (ThrottledStart, Lifetime?) = lock.withLock {
      let remaining = throttledSince.map { interval.remaining(since: $0, now) }
      if !isDue, let remaining, remaining.nanoseconds > 0 {
        return (latest ? .after(remaining) : .never, nil)
      }
      throttledSince = now
      return (.now, waitingThrottled.take())
    }
    if start == .now {
      // The removed effect is the due one itself, or an older one whose timer is late, or one that
      // another thread stores just now; its own timer starts that one.
      if !isDue { waited?.dispose() }
      keepForInterval(interval, clock)
    }
    return start
  }

  /// Keeps this object, with the start time, for the interval, even when no effect of the id runs.
  private func keepForInterval(_ interval: RxTimeInterval, _ clock: any SchedulerType) {
    let timer = clock.after(interval) { withExtendedLifetime(self) {} } as? Lifetime
    let replaced = lock.withLock {
      defer { intervalTimer = timer }
      return intervalTimer
    }
    replaced?.dispose()
  }

  /// Stores the effect that waits for the end of the interval, and disposes of the one that waited
  /// before.
  func replaceWaiting(with effect: Lifetime) {
    let replaced = lock.withLock {
      defer { waitingThrottled = effect }
      return waitingThrottled
    }
    replaced?.dispose()
  }
}

/// An id and its owner: ids of different owners are different, a child's from its parent's too.
struct EffectKey: Hashable, @unchecked Sendable {
  // Retained so that no other object gets its address. The id is Sendable: every caller's parameter
  // requires it.
  let owner: AnyObject
  let id: AnyHashable

  static func == (first: EffectKey, second: EffectKey) -> Bool {
    first.owner === second.owner && first.id == second.id
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(owner))
    hasher.combine(id)
  }
}
