import Synchronization

/// Delivers each element to many observers: under every subject, relay and `share`.
///
/// Adding and removing an observer cost the same however many there are; an emission takes no lock,
/// allocates nothing, and visits the observers that were there when it began, in the order they came,
/// less those disposed of meanwhile.
@usableFromInline package final class Hub<Element>: HubCore, @unchecked Sendable {
  @inlinable override package init() { super.init() }

  /// Adds an observer; false when the hub has ended, with nothing delivered.
  @inlinable package func add(_ down: Observer<Element>) -> Bool {
    let node = HubNode(self, down)
    guard insert(node) else { return false }
    down.lifetime.add(node)
    return true
  }

  /// Adds an observer: its node, for its lifetime to hold, or nil when the hub has ended.
  ///
  /// The caller holds the lock.
  @usableFromInline package func insertedLocked(_ down: Observer<Element>) -> Resource? {
    let node = HubNode(self, down)
    return insertLocked(node) ? node : nil
  }

  /// Delivers `element` to all.
  @inlinable @inline(__always) package func next(_ element: Element) { deliver(element, to: pin()) }

  /// Delivers `element` to the pinned observers and unpins them.
  @inlinable @inline(__always) package func deliver(_ element: Element, to pinned: PinnedNodes) {
    var index = 0
    while index < pinned.count {
      if let node = pinned.base[index] {
        node._withUnsafeGuaranteedRef {
          unsafeDowncast($0, to: HubNode<Element>.self).deliver(element)
        }
      }
      index &+= 1
    }
    unpin()
  }

  /// Ends all observers; those that come later are refused.
  @usableFromInline package func end(_ error: (any Error)?) {
    guard let nodes = stop(error) else { return }
    nodes.forEach { node in
      // One that was told before may have disposed of it.
      if !node.lifetime.isDisposed { unsafeDowncast(node, to: HubNode<Element>.self).end(error) }
    }
  }
}

/// One observer of a hub.
@usableFromInline package final class HubNode<Element>: AnyHubNode, @unchecked Sendable {
  // Immutable.
  @usableFromInline let next: (Element) -> Void
  @usableFromInline let end: ((any Error)?) -> Void

  @inlinable init(_ hub: HubCore, _ down: Observer<Element>) {
    next = down.next
    end = down.end
    super.init(hub, down.lifetime)
  }

  @inlinable @inline(__always) func deliver(_ element: Element) {
    if !lifetime.isDisposed { next(element) }
  }
}

/// What the hub keeps of an observer, whatever its elements are.
@usableFromInline package class AnyHubNode: Resource, @unchecked Sendable {
  // `index` is protected by the hub's lock.
  @usableFromInline final let hub: HubCore
  @usableFromInline final let lifetime: Lifetime
  @exclusivity(unchecked) fileprivate final var index = -1

  @usableFromInline init(_ hub: HubCore, _ lifetime: Lifetime) {
    self.hub = hub
    self.lifetime = lifetime
    super.init()
  }

  @usableFromInline override package final func dispose() { hub.remove(self) }
}

/// The nodes that one emission walks.
@frozen @usableFromInline package struct PinnedNodes {
  @usableFromInline let base: UnsafeMutablePointer<Unmanaged<AnyHubNode>?>
  @usableFromInline let count: Int

  @inlinable init(base: UnsafeMutablePointer<Unmanaged<AnyHubNode>?>, count: Int) {
    self.base = base
    self.count = count
  }
}

/// The part of a hub that does not depend on its elements: generic code that is not specialised asks
/// the runtime for metadata at every step, and an emission must not.
@usableFromInline package class HubCore: @unchecked Sendable {
  // Emissions pin the current list by one addition to `word` and walk it without a lock. Whoever
  // changes the list holds `lock` and sets bit 0 meanwhile, which sends new emissions to wait for
  // the lock. A list that a running emission may walk is never changed: it is copied and retired,
  // and released by the last emission that leaves.
  //
  // A change may come between an emission's addition and its reading of the list. That change counts
  // the emission among the running ones, so it copies, and bit 1 stays set until the emission leaves:
  // an emission that finds both bits clear after reading has read the list that it pinned, and every
  // other one pins again under the lock.
  //
  //   bit 0        the list is being changed
  //   bit 1        retired lists wait for the running emissions
  //   bits 2-31    running emissions
  //   bits 32-63   emissions ever begun, which tells whether any began after the last copy
  @usableFromInline let word = Atomic<UInt>(0)
  @usableFromInline package let lock = Lock()
  @usableFromInline let base: Atomic<UnsafeMutablePointer<Unmanaged<AnyHubNode>?>>
  @usableFromInline let count: Atomic<Int>
  @exclusivity(unchecked) private final var list: NodeList
  @exclusivity(unchecked) private final var retired: [NodeList] = []
  @exclusivity(unchecked) private final var begunAtCopy: UInt?
  @exclusivity(unchecked) private final var live = 0
  @exclusivity(unchecked) @usableFromInline final var ending: (any Error)??
  @exclusivity(unchecked) private final var isDisposedLocked = false

  @usableFromInline init() {
    list = NodeList.empty
    base = Atomic(list.nodes.base)
    count = Atomic(list.nodes.count)
  }

  /// Whether somebody observes.
  package final var hasObservers: Bool { lock.withLock { live > 0 } }

  /// How it has ended: nil while it has not.
  @usableFromInline package final var ended: (any Error)?? { lock.withLock { endingLocked } }

  /// What an observer that comes now is told: nil while the hub has not ended.
  ///
  /// The caller holds the lock.
  final var endingLocked: (any Error)?? {
    isDisposedLocked ? .some(RxError.disposed(object: self)) : ending
  }

  /// Whether it has ended.
  ///
  /// The caller holds the lock.
  @inlinable package final var isStopped: Bool { ending != nil }

  // MARK: Emitting

  @inlinable @inline(__always) package final func pin() -> PinnedNodes {
    let before = word.wrappingAdd(HubCore.oneEmission, ordering: .acquiring).oldValue
    let nodes = current
    if (before | word.load(ordering: .acquiring)) & 3 != 0 { return pinAgain() }
    return nodes
  }

  /// Pins the current list.
  ///
  /// The caller holds the lock.
  @inlinable @inline(__always) package final func pinLocked() -> PinnedNodes {
    word.wrappingAdd(HubCore.oneEmission, ordering: .acquiring)
    return current
  }

  @inlinable @inline(__always) final var current: PinnedNodes {
    PinnedNodes(base: base.load(ordering: .acquiring), count: count.load(ordering: .acquiring))
  }

  @inlinable @inline(__always) package final func unpin() {
    let after = word.wrappingSubtract(4, ordering: .acquiringAndReleasing).newValue
    if after & 0xffff_fffe == 2 { releaseRetired() }
  }

  @inlinable static var oneEmission: UInt { 1 << 32 | 4 }

  @usableFromInline @inline(never) final func pinAgain() -> PinnedNodes {
    unpin()
    return lock.withLock { pinLocked() }
  }

  @usableFromInline @inline(never) final func releaseRetired() {
    lock.lock()
    var released: [NodeList] = []
    let before = word.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue
    if before & 0xffff_fffc == 0 {
      swap(&released, &retired)
      word.bitwiseAnd(~3, ordering: .releasing)
    } else {
      word.bitwiseAnd(~1, ordering: .releasing)
    }
    lock.unlock()
    _ = released
  }

  // MARK: Changing

  /// Adds a node; false when the hub has ended.
  @usableFromInline package final func insert(_ node: AnyHubNode) -> Bool {
    lock.withLock { insertLocked(node) }
  }

  /// Lets go of all observers without telling them; those that come later receive
  /// `RxError.disposed`.
  package final func dispose() {
    lock.lock()
    isDisposedLocked = true
    let nodes = stopLocked(RxError.unknown)
    lock.unlock()
    // Released here, unlocked.
    withExtendedLifetime(nodes) {}
  }

  /// Lets go of all observers: nobody is left who could send.
  @usableFromInline package final func abandon() {
    let nodes = lock.withLock { emptied() }
    // An observer's lifetime and its node hold each other.
    nodes.forEach { $0.lifetime.drop($0) }
  }

  /// The nodes, taken out of the list.
  ///
  /// The caller holds the lock.
  private final func emptied() -> NodeList {
    live = 0
    var last = NodeList.empty
    change { swap(&last, &$0) }
    last.forEach { $0.index = -1 }
    return last
  }

  /// Whether `dispose()` was called.
  package final var isDisposed: Bool { lock.withLock { isDisposedLocked } }

  /// Adds a node; false when the hub has ended.
  ///
  /// The caller holds the lock.
  package final func insertLocked(_ node: AnyHubNode) -> Bool {
    if ending != nil { return false }
    change { list in
      if list.nodes.count == list.capacity { list = list.copy(capacity: max(4, live * 2)) }
      list.append(node)
      live += 1
    }
    return true
  }

  /// Removes a node; nothing happens when it has gone already.
  final func remove(_ node: AnyHubNode) {
    lock.lock()
    guard node.index >= 0 else { return lock.unlock() }
    var unused: NodeList?
    change { list in
      live -= 1
      if live == 0 {
        node.index = -1
        unused = list
        list = .empty
      } else {
        list.remove(node)
        if list.nodes.count > 32, live < list.nodes.count / 2 {
          list = list.copy(capacity: live * 2)
        }
      }
    }
    lock.unlock()
    _ = unused
  }

  /// Ends the hub: the nodes to tell, or nil when it had ended before.
  @usableFromInline package final func stop(_ error: (any Error)?) -> NodeList? {
    lock.withLock { stopLocked(error) }
  }

  private final func stopLocked(_ error: (any Error)?) -> NodeList? {
    guard ending == nil else { return nil }
    ending = .some(error)
    return emptied()
  }

  /// Changes the list in place when no emission can be walking it, otherwise a copy of it.
  private func change(_ body: (inout NodeList) -> Void) {
    let before = word.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue
    let isWalked = before & 0xffff_fffc != 0
    if isWalked, begunAtCopy != before >> 32 {
      retired.append(list)
      word.bitwiseOr(2, ordering: .relaxed)
      list = list.copy(capacity: list.capacity)
      begunAtCopy = before >> 32
    }
    body(&list)
    base.store(list.nodes.base, ordering: .releasing)
    count.store(list.nodes.count, ordering: .releasing)
    word.bitwiseAnd(~1, ordering: .releasing)
  }
}

/// A list of nodes with holes where nodes were removed.
@usableFromInline package final class NodeList {
  // Owned by one hub and changed under its lock; `base` is valid until deinit, and holds one
  // reference for each node in it.
  private(set) var nodes: PinnedNodes
  let capacity: Int

  /// No nodes: for hubs that nobody observes.
  ///
  /// One for all hubs: having no capacity, it is never changed.
  static nonisolated(unsafe) let empty = NodeList(capacity: 0)

  private init(capacity: Int) {
    self.capacity = capacity
    nodes = PinnedNodes(base: .allocate(capacity: capacity), count: 0)
  }

  deinit {
    for index in 0..<nodes.count { nodes.base[index]?.release() }
    nodes.base.deallocate()
  }

  func append(_ node: AnyHubNode) {
    node.index = nodes.count
    (nodes.base + nodes.count).initialize(to: .passRetained(node))
    nodes = PinnedNodes(base: nodes.base, count: nodes.count + 1)
  }

  func remove(_ node: AnyHubNode) {
    let reference = nodes.base[node.index]
    nodes.base[node.index] = nil
    node.index = -1
    reference?.release()
  }

  /// The same nodes without the holes.
  func copy(capacity: Int) -> NodeList {
    let copy = NodeList(capacity: capacity)
    forEach(copy.append)
    return copy
  }

  @usableFromInline func forEach(_ body: (AnyHubNode) -> Void) {
    for index in 0..<nodes.count {
      if let node = nodes.base[index] { body(node.takeUnretainedValue()) }
    }
  }
}
