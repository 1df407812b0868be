import Synchronization

/// Delivers each element to many observers; every subject, relay and `share` contains a hub.
///
/// Adding and removing an observer cost the same for any number of observers. An emission allocates
/// nothing, and takes no lock unless the observers change at the same time. It visits the observers
/// that were present when it began, in the order of their subscriptions, except those disposed of
/// meanwhile.
@usableFromInline package final class ObserverHub<Element>: HubCore, @unchecked Sendable {
  @inlinable override package init() { super.init() }

  /// Adds an observer; returns false, without delivering the end, when the hub has ended.
  @inlinable package func add(_ down: Observer<Element>) -> Bool {
    let node = HubNode(self, down)
    guard insert(node) else { return false }
    down.lifetime.add(node)
    return true
  }

  /// Delivers `element` to all observers.
  @inlinable @inline(__always) package func next(_ element: Element) { deliver(element, to: pin()) }

  /// Delivers `element` to the pinned observers and unpins them.
  @inlinable @inline(__always) package func deliver(
    _ element: Element, to pinned: Unmanaged<NodeList>
  ) {
    pinned._withUnsafeGuaranteedRef { list in
      let count = Int(list.count)
      var index = 0
      while index < count {
        list.base[index]?._withUnsafeGuaranteedRef {
          unsafeDowncast($0, to: HubNode<Element>.self).deliver(element)
        }
        index &+= 1
      }
    }
    unpin()
  }
}

/// One observer of a hub, which receives nothing once its lifetime is closed.
@usableFromInline package class HubNode<Element>: AnyHubNode, @unchecked Sendable {
  // Immutable.
  @usableFromInline final let next: (Element) -> Void

  @inlinable init(_ hub: HubCore, _ down: Observer<Element>) {
    next = down.next
    super.init(hub, down.lifetime, down.end)
  }

  @inlinable @inline(__always) final func deliver(_ element: Element) {
    guard state.load(ordering: .acquiring) == 0 else { return receiveInactive(element) }
    if !lifetime.isClosed { next(element) }
  }

  /// Receives an element while the node is disposed of or still catches up with older elements.
  @usableFromInline func receiveInactive(_ element: Element) {}
}

/// The part of a node that does not depend on the type of the elements.
@usableFromInline package class AnyHubNode: Resource, @unchecked Sendable {
  // The hub's lock protects `index`. It is small and the first field, so it adds no size.
  @exclusivity(unchecked) fileprivate final var index: Int32 = -1
  @usableFromInline final let hub: HubCore
  @usableFromInline final let lifetime: Lifetime
  @usableFromInline final let end: ((any Error)?) -> Void

  @usableFromInline init(
    _ hub: HubCore, _ lifetime: Lifetime, _ end: @escaping ((any Error)?) -> Void
  ) {
    self.hub = hub
    self.lifetime = lifetime
    self.end = end
  }

  /// Receives the end, unless the node is disposed of.
  func receiveEnd(_ error: (any Error)?) { if !isClosed { end(error) } }

  @usableFromInline override package final func dispose() {
    state.store(2, ordering: .releasing)
    hub.remove(self)
  }

  /// Removes this node from its lifetime, because the two hold each other.
  fileprivate final func removeFromLifetime() {
    if lifetime.drop(self) { return }
    // The lifetime has ended, or another thread is about to add this node to it. `add` skips a
    // closed node; the second `drop` finds the node if it was added before the store.
    state.store(2, ordering: .relaxed)
    lifetime.drop(self)
  }
}

/// The part of a hub that does not depend on the type of its elements.
///
/// Generic code that is not specialized asks the runtime for metadata at every step, and an
/// emission must not.
@usableFromInline package class HubCore: @unchecked Sendable {
  // An emission pins the current list by one addition to `word`, and walks the list without a lock.
  // A thread that changes the list holds `lock`, and sets bit 0 meanwhile: new emissions then wait
  // for the lock. A list that a running emission may walk is never changed. It is copied and
  // retired, and the last emission that ends releases it.
  //
  // A change may happen between an emission's addition and its reading of the list. That change
  // counts the emission among the running ones, so it copies, and bit 1 stays set until the
  // emission ends. An emission that finds both bits clear after reading has therefore read the list
  // that it pinned. Every other emission pins again under the lock.
  //
  //   bit 0        the list is being changed
  //   bit 1        retired lists wait for the running emissions, or may soon do so
  //   bits 2-31    number of running emissions
  //   bits 32-63   number of emissions ever begun; shows whether any began after the last copy
  //
  // `current` holds one reference to its list. Small fields are adjacent: a program may have many
  // subjects.
  @usableFromInline let word = Atomic<UInt>(0)
  @usableFromInline let current = Atomic(Unmanaged.passRetained(NodeList.empty))
  @usableFromInline package let lock = Lock()
  @exclusivity(unchecked) private final var live: Int32 = 0
  @exclusivity(unchecked) private final var begunAtCopy: UInt32 = 0
  @exclusivity(unchecked) private final var hasCopied = false
  @exclusivity(unchecked) private final var isDisposedLocked = false
  @exclusivity(unchecked) private final var isAbandoned = false
  @exclusivity(unchecked) private final var retired: NodeList?
  @exclusivity(unchecked) @usableFromInline final var ending: (any Error)??
  @exclusivity(unchecked) private final weak var owner: (any AnyObject & Sendable)?

  @usableFromInline init() {}

  deinit { current.load(ordering: .relaxed).release() }

  /// Whether the hub has an observer.
  package final var hasObservers: Bool { lock.withLock { live > 0 } }

  /// Whether the hub is disposed of.
  package final var isDisposed: Bool { lock.withLock { isDisposedLocked } }

  /// The end of the hub: nil while it has not ended.
  @usableFromInline package final var ended: (any Error)?? { lock.withLock { endingLocked } }

  /// The end that a new observer receives: nil while the hub has not ended.
  ///
  /// The caller holds the lock.
  final var endingLocked: (any Error)?? {
    isDisposedLocked ? .some(RxError.disposed(object: owner ?? self)) : ending
  }

  /// Whether the hub has ended.
  ///
  /// The caller holds the lock.
  @inlinable package final var isStopped: Bool { ending != nil }

  // MARK: Emitting

  @inlinable @inline(__always) package final func pin() -> Unmanaged<NodeList> {
    let before = word.wrappingAdd(HubCore.oneEmission, ordering: .acquiring).oldValue
    let list = current.load(ordering: .acquiring)
    return (before | word.load(ordering: .acquiring)) & 3 == 0 ? list : pinAgain()
  }

  /// Pins the current list.
  ///
  /// The caller holds the lock.
  @inlinable @inline(__always) package final func pinLocked() -> Unmanaged<NodeList> {
    word.wrappingAdd(HubCore.oneEmission, ordering: .acquiring)
    return current.load(ordering: .relaxed)
  }

  @inlinable @inline(__always) package final func unpin() {
    let after = word.wrappingSubtract(4, ordering: .acquiringAndReleasing).newValue
    if after & 0xffff_fffe == 2 { releaseRetired() }
  }

  @inlinable static var oneEmission: UInt { 1 << 32 | 4 }

  @usableFromInline @inline(never) final func pinAgain() -> Unmanaged<NodeList> {
    unpin()
    return lock.withLock { pinLocked() }
  }

  @usableFromInline @inline(never) final func releaseRetired() {
    lock.lock()
    var released: NodeList?
    let before = word.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue
    if before & 0xffff_fffc == 0 {
      swap(&released, &retired)
      hasCopied = false
    }
    word.bitwiseAnd(retired == nil ? ~3 : ~1, ordering: .releasing)
    lock.unlock()
    // The lists are released here, without the lock, one after the other.
    while let list = released { released = list.retiredBefore }
  }

  #if DEBUG
  private let tracker = SendTracker()

  /// Notes a send to `subject`; returns true when a call of `endSending` must follow.
  @usableFromInline final func beginSending(_ subject: AnyObject) -> Bool {
    tracker.begin(subject)
  }

  @usableFromInline final func endSending() { tracker.end() }
  #endif

  /// Calls `send`, which sends to `subject`, the owner of this hub; debug builds report overlaps.
  @inlinable @inline(__always) final func track(_ subject: AnyObject, _ send: () -> Void) {
    #if DEBUG
    let isOutermost = beginSending(subject)
    defer { if isOutermost { endSending() } }
    #endif
    send()
  }

  // MARK: Changing

  /// Adds a node; returns false when the hub has ended.
  @usableFromInline package final func insert(_ node: AnyHubNode) -> Bool {
    lock.withLock { insertLocked(node) }
  }

  /// Adds a node, which the caller adds to its lifetime afterwards; returns false after the end.
  ///
  /// The caller holds the lock.
  @usableFromInline package final func insertLocked(_ node: AnyHubNode) -> Bool {
    if isStopped { return false }
    if isAbandoned {
      // A lifetime adds no closed node: the two would hold each other for good.
      node.state.store(2, ordering: .relaxed)
      return true
    }
    _ = change { list, isWalked in
      let isFull = list.count == list.capacity
      let target = isFull || isWalked ? list.copy(capacity: max(NodeList.least, live * 2)) : list
      target.append(node)
      live += 1
      return target
    }
    return true
  }

  /// Removes a node; does nothing when the node is not in the list.
  fileprivate final func remove(_ node: AnyHubNode) {
    lock.lock()
    guard node.index >= 0 else { return lock.unlock() }
    let before = change { list, isWalked in
      live -= 1
      let isSparse = list.count > 32 && live < list.count / 2
      // A list of the least capacity is kept for the next observer.
      let isDropped = live == 0 && (isWalked || list.capacity > NodeList.least)
      let target = isDropped ? .empty : isSparse || isWalked ? list.copy(capacity: live * 2) : list
      if isDropped { node.index = -1 } else { target.remove(node) }
      return target
    }
    lock.unlock()
    withExtendedLifetime(before) {}
  }

  /// Ends all observers, and refuses later ones.
  @usableFromInline package final func end(_ error: (any Error)?) {
    let nodes = lock.withLock { stopLocked(error) }
    nodes.forEach { $0.receiveEnd(error) }
  }

  /// Releases all observers without ending them, and refuses later ones.
  ///
  /// - Parameter owner: object that the error of later observers names as disposed
  package final func dispose(of owner: any AnyObject & Sendable) {
    let nodes = lock.withLock {
      isDisposedLocked = true
      self.owner = owner
      return stopLocked(nil)
    }
    // The nodes are released here, without the lock.
    nodes.forEach { $0.removeFromLifetime() }
  }

  /// Releases all observers, later ones too: the hub has no owner that could send.
  @usableFromInline package final func abandon() {
    let nodes = lock.withLock {
      isAbandoned = true
      return emptied()
    }
    nodes.forEach { $0.removeFromLifetime() }
  }

  /// Marks the end, and returns the nodes that must receive it.
  ///
  /// The caller holds the lock.
  final func stopLocked(_ error: (any Error)?) -> NodeList {
    if isStopped { return .empty }
    ending = .some(error)
    return emptied()
  }

  /// Empties the list, and returns the removed nodes.
  private final func emptied() -> NodeList {
    live = 0
    let nodes = change { _, _ in .empty }
    nodes.forEach { $0.index = -1 }
    return nodes
  }

  /// Replaces the list with the result of `body`, and returns the replaced list.
  ///
  /// `body` may change the list in place when no emission can be walking it.
  private final func change(_ body: (NodeList, _ isWalked: Bool) -> NodeList) -> NodeList {
    // Bit 1 is set from the start: the last emission may end before a list is retired, and must
    // then call `releaseRetired`.
    var marks: UInt = 3
    #if EXPLORED
    if PlantedFault.lateRetirement.isPlanted { marks = 1 }
    #endif
    let word = self.word.bitwiseOr(marks, ordering: .acquiringAndReleasing).oldValue
    let begun = UInt32(truncatingIfNeeded: word >> 32)
    let isWalked = word & 0xffff_fffc != 0 && !(hasCopied && begunAtCopy == begun)
    let held = current.load(ordering: .relaxed)
    let before = held.takeUnretainedValue()
    let list = body(before, isWalked)
    if list !== before {
      if isWalked, before !== NodeList.empty {
        before.retiredBefore = retired
        retired = before
        (hasCopied, begunAtCopy) = (true, begun)
      }
      current.store(.passRetained(list), ordering: .releasing)
      // This is not the last reference: `before` is returned.
      held.release()
    }
    #if EXPLORED
    if marks == 1, retired != nil { self.word.bitwiseOr(2, ordering: .relaxed) }
    #endif
    self.word.bitwiseAnd(retired == nil ? ~3 : ~1, ordering: .releasing)
    return before
  }
}

/// A list of nodes with holes where nodes were removed.
@usableFromInline package final class NodeList: @unchecked Sendable {
  // Owned by one hub and changed under its lock. `base` is valid until deinit, and holds one
  // reference to each node in it.
  @usableFromInline let base: UnsafeMutablePointer<Unmanaged<AnyHubNode>?>
  @exclusivity(unchecked) @usableFromInline private(set) var count: Int32 = 0
  fileprivate let capacity: Int32
  @exclusivity(unchecked) fileprivate var retiredBefore: NodeList?

  /// The capacity of the first list, which is kept while there is no observer: it fills the smallest
  /// block of the system.
  fileprivate static let least: Int32 = 3

  /// The list of every hub without observers.
  ///
  /// All hubs share it: without capacity it is never changed.
  fileprivate static let empty = NodeList(capacity: 0)

  private init(capacity: Int32) {
    self.capacity = capacity
    base = .allocate(capacity: Int(capacity))
  }

  deinit {
    forEach { Unmanaged.passUnretained($0).release() }
    base.deallocate()
  }

  fileprivate func append(_ node: AnyHubNode) {
    node.index = count
    (base + Int(count)).initialize(to: .passRetained(node))
    count += 1
  }

  fileprivate func remove(_ node: AnyHubNode) {
    base[Int(node.index)] = nil
    node.index = -1
    // Holes at the end are free again: adding and removing there needs no new list.
    while count > 0, base[Int(count) - 1] == nil { count -= 1 }
    Unmanaged.passUnretained(node).release()
  }

  /// Returns a list of the same nodes without the holes.
  fileprivate func copy(capacity: Int32) -> NodeList {
    let copy = NodeList(capacity: capacity)
    forEach(copy.append)
    return copy
  }

  func forEach(_ body: (AnyHubNode) -> Void) {
    for index in 0..<Int(count) { if let node = base[index] { body(node.takeUnretainedValue()) } }
  }
}
