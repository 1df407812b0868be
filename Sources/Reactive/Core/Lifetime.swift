import Synchronization

/// An entry of a lifetime or a bag, and the link of the list that holds the entry.
///
/// It is a class so that a reference to it is one pointer. It is its own link so that adding and
/// removing cost the same for any number of entries.
@usableFromInline package class Resource: Disposable, @unchecked Sendable {
  // The lock of the lifetime that holds this protects the links. Once that lifetime is closed, only
  // the thread that closed it touches them. `preceding` is set while this is in a list; that of the
  // first link is the last link. The list holds one reference to each link; counting more would
  // take most of the time.
  @exclusivity(unchecked) fileprivate final var following: Unmanaged<Resource>?
  @exclusivity(unchecked) fileprivate final var preceding: Unmanaged<Resource>?
  // 0: open; with the bit 2: closed. Subclasses have values of their own. Subclasses declare small
  // fields first, which use the padding after this byte.
  @usableFromInline final let state = Atomic<UInt8>(0)

  #if TRACE_RESOURCES
  @usableFromInline package init() { Resources.incrementTotal() }

  deinit { Resources.decrementTotal() }
  #else
  @usableFromInline package init() {}
  #endif

  @usableFromInline package func dispose() {}

  /// Whether this has ended or is disposed of.
  @inlinable package final var isClosed: Bool {
    state.load(ordering: .relaxed) & 2 != 0
  }

  /// Whether this is a lifetime that is disposing of its resources.
  ///
  /// When it returns false after a disposal, the effects of that disposal are visible here.
  fileprivate final var isReleasing: Bool {
    state.load(ordering: .acquiring) == LifetimeState.releasing
  }

  /// Returns the object to link when this is added; nil when nothing is to be disposed of.
  ///
  /// - Parameter container: lifetime that this is removed from when it ends by itself, or nil
  func held(leaving container: Lifetime?) -> Resource? { self }

  /// Returns the disposable itself when it is a resource, or a box around it.
  @usableFromInline static func wrapping(_ disposable: any Disposable) -> Resource {
    // A cast of the value takes ten times as long. A cast of the type takes longer than these
    // comparisons with the two most frequent types.
    func cast<Wrapped: Disposable>(_ disposable: Wrapped) -> Resource {
      Wrapped.self == ActionDisposable.self || Wrapped.self == Lifetime.self
        || Wrapped.self is Resource.Type
        ? unsafeBitCast(disposable, to: Unmanaged<Resource>.self).takeUnretainedValue()
        : DisposableBox(disposable)
    }
    return cast(disposable)
  }
}

/// The life of one subscription: open until it ends or is disposed of, then closed for good.
///
/// There is one lifetime per subscription, not one per operator. It holds the resources to dispose
/// of when the subscription ends. It knows the bag that holds it, and removes itself from that bag.
///
/// An operator that does not pass its source's terminal straight on runs the source in a **child**:
/// a lifetime that ends with its parent, or earlier.
@usableFromInline package class Lifetime: Resource, Cancelable, @unchecked Sendable {
  // The lock of `Lifetime+Lock.swift` protects the fields below and the links of the held resources.
  // Once this is closed, only the thread that sets `releasing` touches them, and after it the thread
  // that continues the release.
  @exclusivity(unchecked) private final var isHeld = false
  @exclusivity(unchecked) private final var observesRelease = false
  #if canImport(Darwin)
  // Placed in the padding before the next field, so that it does not enlarge a lifetime.
  final let gate = Lock()
  #endif
  @exclusivity(unchecked) private final var container: Lifetime?
  @exclusivity(unchecked) private final var first: Unmanaged<Resource>?

  /// Creates a lifetime that ends when `parent` ends, or earlier.
  @usableFromInline package init(parent: Lifetime? = nil) {
    super.init()
    guard let parent else { return }
    isHeld = true
    container = parent
    if parent.link(self) { return }
    container = nil
    state.store(LifetimeState.released, ordering: .releasing)
  }

  // Releases a list in a loop: each link would release the next one recursively and overflow the
  // stack.
  deinit { if first != nil { forgetAll { _ in } } }

  /// Removes each resource without disposing of it, and calls `forget` with it.
  ///
  /// Only the last owner calls this: it takes no lock.
  @inline(never) final func forgetAll(_ forget: (Resource) -> Void) {
    while let resource = popFirst() { forget(resource) }
  }

  /// Whether this is closed, so that nothing more is delivered.
  @inlinable package final var isDisposed: Bool { isClosed }

  /// Disposes of all resources, also while another thread, or this one, delivers the end.
  @usableFromInline override package final func dispose() {
    if lockIfOpen() { unlockClosed() } else if !claimRelease() { return }
    let releasing = disposeOfResources()
    didDispose()
    leave(after: releasing)
  }

  /// The object that suspends a source of elements on demand; nil when there is no such source.
  @usableFromInline package var backpressure: Backpressure? { nil }

  /// Called once, on the thread that releases this: by `dispose()` after the resources, and by
  /// `release()` before them.
  ///
  /// `finish()` does not call it.
  @usableFromInline package func didDispose() {}

  /// Closes and releases this without `didDispose`; returns true for the one call that closed it.
  @usableFromInline @discardableResult package final func finish() -> Bool {
    guard lockIfOpen() else { return false }
    unlockClosed()
    leave(after: disposeOfResources())
    return true
  }

  /// Closes this before its end is delivered; returns true for the one call that closed it.
  ///
  /// The caller delivers the end, and then calls `release()`.
  @usableFromInline final func close() -> Bool {
    guard lockIfOpen() else { return false }
    unlockEnded()
    return true
  }

  /// Called once, when all resources are disposed of, if `observeRelease()` was called.
  ///
  /// Returns what remains to do when the lifetime that waits for this one has continued, or nil. It
  /// may take long.
  func didRelease() -> (() -> Void)? { nil }

  /// Makes the release call `didRelease()`; called before other threads know this lifetime.
  final func observeRelease() { observesRelease = true }

  /// Releases this after `close()`, unless `dispose()` has done so while the end was delivered.
  ///
  /// A lifetime counts as released when everything in it is. A resource may be a lifetime that has
  /// ended by itself and is being released right now, by another thread or further up on this one's
  /// stack. Then this returns without waiting, and that release continues with this one.
  @usableFromInline final func release() {
    guard claimRelease() else { return }
    didDispose()
    leave(after: disposeOfResources())
  }

  /// Returns true for the one call after `close()` that releases this.
  private final func claimRelease() -> Bool {
    // Most lifetimes that are closed already are not in this state.
    if state.load(ordering: .relaxed) != LifetimeState.ending { return false }
    let (isClaimed, _) = state.compareExchange(
      expected: LifetimeState.ending, desired: LifetimeState.releasing,
      ordering: .acquiringAndReleasing)
    return isClaimed
  }

  /// Disposes of all resources in the order in which they were added.
  ///
  /// Returns the list of those that are still being released.
  @inline(__always) private final func disposeOfResources() -> Unmanaged<Resource>? {
    var releasing: Unmanaged<Resource>?
    while let resource = popFirst() {
      resource.dispose()
      var isReleasing = resource.isReleasing
      #if EXPLORED
      if PlantedFault.earlyRelease.isPlanted { isReleasing = false }
      #endif
      if isReleasing {
        let link = Unmanaged.passRetained(resource)
        link.following = releasing
        releasing = link
      }
    }
    return releasing
  }

  /// Leaves the list that holds this, when the lifetimes in `releasing` are released.
  @inline(__always) private final func leave(after releasing: Unmanaged<Resource>?) {
    if let releasing {
      first = releasing
      Lifetime.continueRelease(of: self)
    } else if let waiting = leave() {
      Lifetime.continueRelease(of: waiting)
    }
  }

  /// Continues the release of `lifetime`, and then that of each lifetime that waits for it.
  @inline(never) private static func continueRelease(of lifetime: Lifetime) {
    var next: Lifetime? = lifetime
    while let lifetime = next { next = lifetime.awaitsRelease() ? nil : lifetime.leave() }
  }

  /// Whether a lifetime in the list is not released yet; it continues with this one then.
  private final func awaitsRelease() -> Bool {
    while let lifetime = popFirst() {
      if Lifetime.waitingLock.withLock({ awaits(lifetime) }) { return true }
    }
    return false
  }

  // Held while a lifetime begins to wait for another one, which is rare: two threads that release
  // lifetimes that hold each other must not both begin to wait.
  private static let waitingLock = Lock()

  /// Whether the thread that releases `resource` continues with this lifetime.
  private final func awaits(_ resource: Resource) -> Bool {
    if isAwaited(by: resource) { return false }
    // Stored for the thread that releases `resource`, which owns the links from now on.
    let waiting = Unmanaged<Resource>.passRetained(self)
    resource.following = waiting
    let (isWaiting, _) = resource.state.compareExchange(
      expected: LifetimeState.releasing, desired: LifetimeState.releasingAwaited,
      ordering: .acquiringAndReleasing)
    if isWaiting { return true }
    resource.following = nil
    waiting.release()
    return false
  }

  /// Whether `resource` is this lifetime, or waits for it: each of them holds the other.
  private final func isAwaited(by resource: Resource) -> Bool {
    var awaited: Resource = self
    while awaited !== resource {
      // What waits for this lifetime cannot be released before it, so that its links stay.
      guard awaited.state.load(ordering: .acquiring) == LifetimeState.releasingAwaited,
        let waiting = awaited.following
      else { return false }
      awaited = waiting.takeUnretainedValue()
    }
    return true
  }

  /// Leaves the list that holds this, and returns the lifetime that waits for this one.
  @inline(__always) private final func leave() -> Lifetime? {
    if observesRelease { return leaveObserved() }
    return isHeld ? leaveContainer() : nil
  }

  /// Calls `didRelease()`, continues with the lifetime that waits, and then does what remains.
  @inline(never) private final func leaveObserved() -> Lifetime? {
    let rest = didRelease()
    let waiting = isHeld ? leaveContainer() : nil
    guard let rest else { return waiting }
    if let waiting { Lifetime.continueRelease(of: waiting) }
    rest()
    return nil
  }

  @inline(__always) private final func leaveContainer() -> Lifetime? {
    if let container {
      self.container = nil
      if container.drop(self) { return nil }
    }
    // The lifetime that held this is closed as well, and may wait.
    let before = state.exchange(LifetimeState.released, ordering: .acquiringAndReleasing)
    guard before == LifetimeState.releasingAwaited else { return nil }
    guard let waiting = following?.takeRetainedValue() else { return nil }
    following = nil
    return unsafeDowncast(waiting, to: Lifetime.self)
  }

  /// Returns this lifetime for the first list that it enters, and a box for every further list.
  ///
  /// The lifetime is removed from `container`, if any, when it ends. Returns nil when it has ended,
  /// also while its end is being delivered: it releases itself after that.
  override final func held(leaving container: Lifetime?) -> Resource? {
    guard lockIfOpen() else { return nil }
    let isSecond = isHeld
    if !isSecond { (isHeld, self.container) = (true, container) }
    unlock()
    return isSecond ? boxed(leaving: container) : self
  }

  /// The lifetime that this one removes itself from when it ends.
  package final var parent: Lifetime? {
    guard lockIfOpen() else { return nil }
    defer { unlock() }
    return container
  }

  // Not inlined: nearly every lifetime enters one list only.
  @inline(never) private final func boxed(leaving container: Lifetime?) -> Resource {
    let box = DisposableBox(self)
    if let container { add(BoxLeaving(box, container)) }
    return box
  }

  private final func popFirst() -> Resource? {
    guard let resource = first?.takeRetainedValue() else { return nil }
    first = resource.following
    (resource.following, resource.preceding) = (nil, nil)
    return resource
  }
}

// MARK: - Resources

extension Lifetime {
  /// Whether a held resource is open; false for a closed lifetime.
  ///
  /// A resource that has ended is held until it is released.
  package final var holdsOpenResource: Bool {
    guard lockIfOpen() else { return false }
    defer { unlock() }
    var next = first
    while let link = next {
      let resource = link.takeUnretainedValue()
      if !resource.isClosed { return true }
      next = resource.following
    }
    return false
  }

  /// The number of held resources, for tests: they are counted with the lock held.
  package final var count: Int {
    guard lockIfOpen() else { return 0 }
    defer { unlock() }
    var (count, next) = (0, first)
    while let link = next { (count, next) = (count + 1, link.takeUnretainedValue().following) }
    return count
  }

  /// Adds `resource`, or disposes of it at once when this lifetime is closed.
  @usableFromInline package final func add(_ resource: Resource) { hold(resource, leaving: nil) }

  /// Adds any disposable, or disposes of it at once when this lifetime is closed.
  @usableFromInline package final func add(_ disposable: any Disposable) {
    add(Resource.wrapping(disposable))
  }

  /// Adds `disposable`, which is removed when it ends by itself.
  @usableFromInline package final func insert(_ disposable: any Disposable) {
    hold(Resource.wrapping(disposable), leaving: self)
  }

  private func hold(_ resource: Resource, leaving container: Lifetime?) {
    guard let held = resource.held(leaving: container) else {
      // A resource whose end is being delivered is not held, but can be disposed of.
      if isClosed { resource.dispose() }
      return
    }
    if !link(held) { resource.dispose() }
  }

  /// Links `resource` unless it has ended; returns false when this lifetime is closed.
  final func link(_ resource: Resource) -> Bool {
    guard lockIfOpen() else { return false }
    // A thread that ends `resource` later than this check finds it in the list and removes it.
    if !resource.isClosed {
      let link = Unmanaged.passRetained(resource)
      let last = first?.preceding ?? link
      resource.preceding = last
      if first == nil { first = link } else { last.following = link }
      first?.preceding = link
    }
    unlock()
    return true
  }

  /// Removes `resource`; returns false when it is not linked.
  ///
  /// The caller holds a reference to `resource`, because the list may hold the last other one.
  @discardableResult package final func drop(_ resource: Resource) -> Bool {
    guard lockIfOpen() else { return false }
    let isLinked = resource.preceding != nil
    if let preceding = resource.preceding {
      let (link, following) = (Unmanaged.passUnretained(resource), resource.following)
      if preceding.following == nil { first = following } else { preceding.following = following }
      (following ?? first)?.preceding = preceding
      (resource.following, resource.preceding) = (nil, nil)
      link.release()
    }
    unlock()
    return isLinked
  }
}

extension Unmanaged<Resource> {
  fileprivate var following: Unmanaged<Resource>? {
    get { _withUnsafeGuaranteedRef { $0.following } }
    nonmutating set { _withUnsafeGuaranteedRef { $0.following = newValue } }
  }

  fileprivate var preceding: Unmanaged<Resource>? {
    get { _withUnsafeGuaranteedRef { $0.preceding } }
    nonmutating set { _withUnsafeGuaranteedRef { $0.preceding = newValue } }
  }
}
