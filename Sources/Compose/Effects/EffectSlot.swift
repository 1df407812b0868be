import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The effects of one id of one composer: those that run, and those that were made and wait.
///
/// It exists as long as one of them does.
final class EffectSlot: @unchecked Sendable {
  /// Ids are a composer's own, and a child's are not its parent's.
  struct Key: Hashable, @unchecked Sendable {
    // Held, so that nobody else has its address meanwhile. The id is Sendable where it is given.
    let owner: AnyObject
    let id: AnyHashable

    static func == (first: Key, second: Key) -> Bool {
      first.owner === second.owner && first.id == second.id
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(owner))
      hasher.combine(id)
    }
  }

  // `lock` protects the rest. No lifetime is disposed of while it is in place.
  private let lock = Lock()
  private let key: Key
  private let slots: EffectSlots
  private var running = Lifetime()
  private let made = Atomic(0)
  private var cancelled = 0
  private var throttledSince: UInt64?
  private let waiting = Locked<Lifetime?>(nil)

  init(_ key: Key, _ slots: EffectSlots) { (self.key, self.slots) = (key, slots) }

  deinit { slots.forget(key) }

  /// The number of an effect, or of a cancellation, that is made.
  func nextNumber() -> Int { made.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Whether the effect of that number was not cancelled before it has started.
  func isValid(_ number: Int) -> Bool { lock.withLock { number > cancelled } }

  /// Takes in an effect that starts, as `conflict` says, or disposes of it when it must not.
  func admit(_ effect: Lifetime, _ conflict: EffectConflict) {
    let ended: Lifetime? = lock.withLock {
      if conflict == .ignore, running.count > 0 { return effect }
      defer { running.insert(effect) }
      return conflict == .replace ? renewRunning() : nil
    }
    ended?.dispose()
  }

  /// Ends what runs; what waits, and was made before the cancellation of this number, will not start.
  func cancel(before number: Int) {
    let ended = lock.withLock {
      cancelled = max(cancelled, number)
      throttledSince = nil
      return renewRunning()
    }
    ended.dispose()
    waiting.replace(with: nil)?.dispose()
  }

  private func renewRunning() -> Lifetime {
    defer { running = Lifetime() }
    return running
  }

  // MARK: Throttling

  /// How long an effect that starts now has to wait, when at most one may start in `interval`; nil when
  /// it must not start.
  ///
  /// - Parameter isDue: whether it has waited already, and starts in any case.
  func throttle(
    _ interval: RxTimeInterval, latest: Bool, isDue: Bool, _ clock: any SchedulerType
  ) -> RxTimeInterval? {
    let now = clock.uptimeNanoseconds
    let left: RxTimeInterval? = lock.withLock {
      let left = throttledSince.map { interval.left(since: $0, now) }
      if !isDue, let left, left.nanoseconds > 0 { return latest ? left : nil }
      throttledSince = now
      return .nanoseconds(0)
    }
    if left?.nanoseconds == 0 {
      // The one that is due itself, or else an older one, which is late.
      let waited = waiting.replace(with: nil)
      if !isDue { waited?.dispose() }
      // Remembered at least that long, though no effect of this id may run.
      _ = clock.after(interval) { withExtendedLifetime(self) {} }
    }
    return left
  }

  /// Takes in the effect that waits for the interval's end, in place of another one.
  func wait(_ effect: Lifetime) { waiting.replace(with: effect)?.dispose() }
}

/// The slots of a composer and of those that it embeds.
final class EffectSlots: @unchecked Sendable {
  /// That of the composer.
  weak let store: StoreCore?
  // `lock` protects the rest.
  private let lock = Lock()
  private var slots: [EffectSlot.Key: Entry] = [:]

  private struct Entry { weak var slot: EffectSlot? }

  init(_ store: StoreCore) { self.store = store }

  /// The slot of `key`, made when there is none.
  func slot(for key: EffectSlot.Key) -> EffectSlot {
    lock.withLock {
      // In two steps: Swift 6.3 reads the weak reference of no entry by `slots[key]?.slot`.
      if let entry = slots[key], let slot = entry.slot { return slot }
      let slot = EffectSlot(key, self)
      slots[key] = Entry(slot: slot)
      return slot
    }
  }

  /// Forgets the slot of `key`, which is gone, unless another one is in its place.
  fileprivate func forget(_ key: EffectSlot.Key) {
    lock.withLock {
      guard let entry = slots[key], entry.slot == nil else { return }
      if slots.count == 1 { slots = [:] } else { slots[key] = nil }
    }
  }
}

/// What an effect does when another one of its id runs.
public enum EffectConflict: Sendable {
  /// Both run.
  case together
  /// The new one takes the place of those that run: they are cancelled.
  case replace
  /// The new one does nothing.
  case ignore
}
