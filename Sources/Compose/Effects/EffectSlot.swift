import Foundation

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

  // `lock` protects the rest. Neither lifetime is disposed of while it is in place.
  private let lock = Lock()
  private let key: Key
  private let slots: EffectSlots
  private var running = Lifetime()
  private var made = 0
  private var cancelled = 0
  private var throttling: (start: Date, waiting: Lifetime?)?

  init(_ key: Key, _ slots: EffectSlots) { (self.key, self.slots) = (key, slots) }

  deinit { slots.forget(key, ObjectIdentifier(self)) }

  /// The number of an effect, or of a cancellation, that is made.
  func nextNumber() -> Int {
    lock.withLock {
      made += 1
      return made
    }
  }

  /// Whether the effect of that number was not cancelled before it has started.
  func isValid(_ number: Int) -> Bool { lock.withLock { number > cancelled } }

  /// Takes in an effect that starts, as `conflict` says, or disposes of it when it must not.
  func admit(_ effect: Lifetime, _ conflict: EffectConflict) {
    let ended: Lifetime? = lock.withLock {
      if conflict == .ignore, running.count > 0 { return effect }
      let replaced = conflict == .replace ? renewRunning() : nil
      running.insert(effect)
      return replaced
    }
    ended?.dispose()
  }

  /// Ends what runs; what waits, and was made before the cancellation of this number, will not start.
  func cancel(before number: Int) {
    let ended = lock.withLock {
      cancelled = max(cancelled, number)
      defer { throttling = nil }
      return [renewRunning(), throttling?.waiting]
    }
    for each in ended { each?.dispose() }
  }

  private func renewRunning() -> Lifetime {
    defer { running = Lifetime() }
    return running
  }

  // MARK: Throttling

  enum Throttled {
    case runs
    /// Waits for that long, unless the lifetime ends before.
    case waits(RxTimeInterval, Lifetime)
    case isDropped
  }

  /// What becomes of an effect that starts now, at most one in `interval`.
  func throttle(_ interval: RxTimeInterval, latest: Bool, _ clock: any SchedulerType) -> Throttled {
    let now = clock.now
    var replaced: Lifetime?
    defer { replaced?.dispose() }
    let throttled: Throttled = lock.withLock {
      let left = throttling.map { interval.reduced(by: now.timeIntervalSince($0.start)) }
      guard let left, left.nanoseconds > 0 else {
        throttling = (now, nil)
        return .runs
      }
      guard latest else { return .isDropped }
      let waiting = Lifetime()
      replaced = throttling?.waiting
      throttling?.waiting = waiting
      return .waits(left, waiting)
    }
    // Remembered at least that long, though no effect of this id may run.
    if case .runs = throttled { _ = clock.after(interval) { withExtendedLifetime(self) {} } }
    return throttled
  }
}

/// The slots of a composer and of those that it embeds.
final class EffectSlots: @unchecked Sendable {
  // `lock` protects the rest.
  private let lock = Lock()
  private var slots: [EffectSlot.Key: Entry] = [:]
  private weak var attached: StoreCore?

  private struct Entry {
    let identity: ObjectIdentifier
    weak var slot: EffectSlot?
  }

  /// The slot of `key`, made when there is none.
  func slot(for key: EffectSlot.Key) -> EffectSlot {
    lock.withLock {
      // In two steps: Swift 6.3 reads the weak reference of no entry by `slots[key]?.slot`.
      if let entry = slots[key], let slot = entry.slot { return slot }
      let slot = EffectSlot(key, self)
      slots[key] = Entry(identity: ObjectIdentifier(slot), slot: slot)
      return slot
    }
  }

  /// Forgets the slot of `key` that had this identity and is gone; another one may be in its place.
  fileprivate func forget(_ key: EffectSlot.Key, _ identity: ObjectIdentifier) {
    lock.withLock {
      guard slots[key]?.identity == identity else { return }
      if slots.count == 1 { slots = [:] } else { slots[key] = nil }
    }
  }

  /// Whose they are, once an effect of it runs: a weak reference makes every other one slow, and a
  /// composer without effects needs none.
  var store: StoreCore? { lock.withLock { attached } }

  func attach(to store: StoreCore) { lock.withLock { if attached == nil { attached = store } } }
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
