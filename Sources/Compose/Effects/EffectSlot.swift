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

  // `lock` protects the rest. The bag is never disposed of while it is in place.
  private let lock = Lock()
  private let key: Key
  private let slots: EffectSlots
  private var running = DisposeBag()
  private var cancellations = 0
  private var throttling: Throttling?

  private struct Throttling {
    let start: Date
    var waiting: DisposeBag?
  }

  init(_ key: Key, _ slots: EffectSlots) { (self.key, self.slots) = (key, slots) }

  deinit { slots.forget(key, ObjectIdentifier(self)) }

  /// How often these effects were cancelled: an effect that is made now and starts after the next
  /// time, must not.
  var generation: Int { lock.withLock { cancellations } }

  /// Takes in an effect that starts, as `conflict` says; false when it must not start.
  func admit(_ effect: ActionDisposable, _ conflict: EffectConflict) -> Bool {
    var replaced: DisposeBag?
    let isAdmitted = lock.withLock {
      switch conflict {
      case .together: break
      case .ignore: if running.count > 0 { return false }
      case .replace: replaced = replaceRunning()
      }
      running.insert(effect)
      return true
    }
    replaced?.dispose()
    return isAdmitted
  }

  /// Ends what runs; what waits will not start.
  func cancel() {
    let (ended, waiting) = lock.withLock {
      cancellations += 1
      defer { throttling = nil }
      return (replaceRunning(), throttling?.waiting)
    }
    ended.dispose()
    waiting?.dispose()
  }

  private func replaceRunning() -> DisposeBag {
    let old = running
    running = DisposeBag()
    return old
  }

  // MARK: Throttling

  enum Throttled {
    case runs
    /// Waits for that long, unless the bag is disposed of before.
    case waits(RxTimeInterval, DisposeBag)
    case isDropped
  }

  /// What becomes of an effect that starts now, at most one in `interval`.
  func throttle(_ interval: RxTimeInterval, latest: Bool, _ clock: any SchedulerType) -> Throttled {
    let now = clock.now
    var replaced: DisposeBag?
    let throttled: Throttled = lock.withLock {
      let left = throttling.map { interval.reduced(by: now.timeIntervalSince($0.start)) }
      guard let left, left.nanoseconds > 0 else {
        throttling = Throttling(start: now)
        return .runs
      }
      guard latest else { return .isDropped }
      let waiting = DisposeBag()
      replaced = throttling?.waiting
      throttling?.waiting = waiting
      return .waits(left, waiting)
    }
    replaced?.dispose()
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
