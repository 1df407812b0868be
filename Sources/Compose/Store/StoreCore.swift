import Synchronization

/// What of a store does not depend on its composer's types.
@usableFromInline class StoreCore: @unchecked Sendable {
  // `lock` protects `slots` and `own`, and what subclasses say.
  @usableFromInline final let lock = Lock()
  @exclusivity(unchecked) private final var slots: [EffectSlot.Key: Weak<EffectSlot>] = [:]
  @exclusivity(unchecked) private final var own: Lifetime?
  private final let effects = Atomic(0)

  @usableFromInline init() {}

  deinit { own?.dispose() }

  /// Runs `body` where the composer reduces, between two steps.
  func perform(_ body: @escaping @Sendable () -> Void) {}

  /// Drains what waits.
  @usableFromInline func wake() {}

  /// Has this drain what waits, when it still exists.
  final var wakening: @Sendable () -> Void { { [weak self] in self?.wake() } }

  /// The number of an effect that starts.
  @usableFromInline final func nextEffect() -> Int {
    effects.wrappingAdd(1, ordering: .relaxed).newValue
  }

  // MARK: Ids

  /// The slot of `key`, made when there is none.
  final func slot(for key: EffectSlot.Key) -> EffectSlot {
    lock.withLock {
      // In two steps: Swift 6.3 reads the weak reference of no entry by `slots[key]?.object`.
      if let known = slots[key], let slot = known.object { return slot }
      let slot = EffectSlot(key, self)
      slots[key] = Weak(slot)
      return slot
    }
  }

  /// Forgets the slot of `key` that had this identity and is gone; another one may be in its place.
  final func forgetSlot(_ key: EffectSlot.Key, _ identity: ObjectIdentifier) {
    lock.withLock {
      guard slots[key]?.identity == identity else { return }
      if slots.count == 1 { slots = [:] } else { slots[key] = nil }
    }
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

private struct Weak<Object: AnyObject> {
  let identity: ObjectIdentifier
  weak var object: Object?

  init(_ object: Object) { (identity, self.object) = (ObjectIdentifier(object), object) }
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
