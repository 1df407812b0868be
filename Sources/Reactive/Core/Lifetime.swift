import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The life of one subscription: open until it ends or is disposed of, then closed for good.
///
/// There is one per subscription, not one per operator. It holds what the subscription must let go
/// of, and knows its slot in the bag that holds it, which it leaves when it ends.
///
/// An operator that does not pass its source's terminal straight on gives the source a **child**:
/// a lifetime that ends with its parent, or before it.
@usableFromInline package class Lifetime: Resource, Cancelable, @unchecked Sendable {
  // `state` is both the flag and the lock: 0 open, 1 open and locked, 2 closed. The fields below
  // are touched under that lock or, once closed, only by the thread that closed it. The lock is held
  // for a few instructions and never while anything of a user's runs.
  @usableFromInline let state = Atomic<UInt8>(0)
  @usableFromInline let parent: Lifetime?
  @exclusivity(unchecked) private var first: Resource?
  @exclusivity(unchecked) private var rest: Slots?
  @exclusivity(unchecked) private var owner: Slots?
  @exclusivity(unchecked) private var slot = 0

  @inlinable package init(parent: Lifetime? = nil) {
    self.parent = parent
    super.init()
  }

  /// Whether this lifetime itself was closed; its parent may have been closed without it.
  @inlinable package final var isClosed: Bool { state.load(ordering: .relaxed) == 2 }

  /// Whether nothing more will be delivered.
  @inlinable package final var isDisposed: Bool {
    if isClosed { return true }
    guard let parent else { return false }
    return parent.isDisposed
  }

  @usableFromInline override package final func dispose() {
    guard close() else { return }
    release()
    didDispose()
  }

  /// Called once, on the disposing thread, after everything was let go of; not after an end.
  @usableFromInline package func didDispose() {}

  /// Ends it without `didDispose`; true for the one caller that did.
  @usableFromInline @discardableResult package final func finish() -> Bool {
    guard close() else { return false }
    release()
    return true
  }

  /// Closes it; true for the one caller that did.
  @usableFromInline final func close() -> Bool {
    guard lockIfOpen() else { return false }
    state.store(2, ordering: .releasing)
    return true
  }

  /// Lets go of everything; for the caller that closed it.
  @usableFromInline final func release() {
    if let owner {
      self.owner = nil
      owner.remove(at: slot)
    }
    parent?.forget(self)
    let (first, rest) = (first, rest)
    (self.first, self.rest) = (nil, nil)
    first?.dispose()
    rest?.dispose()
  }

  @usableFromInline override final func enter(_ slots: Slots, at index: Int) -> Bool {
    guard lockIfOpen() else { return false }
    if owner == nil { (owner, slot) = (slots, index) }
    unlock()
    return true
  }

  private func lockIfOpen() -> Bool {
    while true {
      let (locked, current) = state.weakCompareExchange(
        expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if locked { return true }
      if current == 2 { return false }
      if current == 1 { sched_yield() }
    }
  }

  private func unlock() { state.store(0, ordering: .releasing) }
}

// MARK: - What it holds

extension Lifetime {
  /// Takes `resource` in; disposes of it at once when this lifetime is closed already.
  @usableFromInline package final func add(_ resource: Resource) {
    guard lockIfOpen() else { return resource.dispose() }
    if first == nil {
      first = resource
      unlock()
      return
    }
    let rest = self.rest ?? Slots()
    self.rest = rest
    unlock()
    rest.insert(resource)
  }

  /// Takes any disposable in.
  @usableFromInline package final func add(_ disposable: any Disposable) {
    add(Resource.wrapping(disposable))
  }

  /// Runs a source in a child of its own, for an operator that does not pass its end straight on.
  ///
  /// `end` is called once, however often the source ends, and after the source was let go of.
  @inlinable package final func run<Element>(
    _ source: (Observer<Element>) -> Void, next: @escaping (Element) -> Void,
    end: @escaping ((any Error)?) -> Void
  ) { withChild { source($0.observer(next: next, end: end)) } }

  /// An observer whose first end finishes this lifetime and is then passed to `end`.
  @inlinable package final func observer<Element>(
    next: @escaping (Element) -> Void, end: @escaping ((any Error)?) -> Void
  ) -> Observer<Element> { Observer(self, next: next, end: { if self.finish() { end($0) } }) }

  /// Runs `body` with a new child and takes the child in, unless it has ended by then.
  @inlinable package final func withChild(_ body: (Lifetime) -> Void) {
    let child = Lifetime(parent: self)
    body(child)
    adopt(child)
  }

  /// Takes a child in, unless it has ended.
  @usableFromInline package final func adopt(_ child: Lifetime) {
    if child.isClosed { return }
    add(child)
    // It may have ended on another thread between the two lines, before it knew where it is held.
    if child.isClosed { forget(child) }
  }

  /// Drops a resource without disposing of it: nothing is left to let go of.
  package final func drop(_ resource: Resource) {
    guard lockIfOpen() else { return }
    var dropped: Resource?
    if first === resource { swap(&dropped, &first) }
    let rest = self.rest
    unlock()
    if dropped == nil { rest?.drop(resource) }
  }

  /// Drops a child that has ended, when it is held in place rather than in a slot.
  private func forget(_ child: Lifetime) {
    guard lockIfOpen() else { return }
    let isHeldHere = first === child
    if isHeldHere { first = nil }
    unlock()
  }
}

/// Resources in slots: inserting one and removing one cost the same however many there are.
@usableFromInline package final class Slots: Resource, @unchecked Sendable {
  private struct Entry {
    var resource: Resource?
    var order: Int
  }

  // `lock` protects the rest.
  private let lock = Lock()
  @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
  @exclusivity(unchecked) private var free: ContiguousArray<Int> = []
  @exclusivity(unchecked) private var inserted = 0
  @exclusivity(unchecked) private var isClosed = false

  @usableFromInline override package init() {}

  /// How many resources it holds.
  package var count: Int { lock.withLock { entries.count - free.count } }

  /// Takes `resource` in; disposes of it at once when this is closed already.
  @usableFromInline package func insert(_ resource: Resource) {
    lock.lock()
    if isClosed {
      lock.unlock()
      return resource.dispose()
    }
    inserted &+= 1
    let entry = Entry(resource: resource, order: inserted)
    let index = free.popLast() ?? entries.count
    if index == entries.count { entries.append(entry) } else { entries[index] = entry }
    if !resource.enter(self, at: index) {
      entries[index].resource = nil
      free.append(index)
    }
    lock.unlock()
  }

  /// Drops a resource, wherever it is, without disposing of it.
  func drop(_ resource: Resource) {
    lock.lock()
    let index = entries.firstIndex { $0.resource === resource }
    lock.unlock()
    if let index { remove(at: index) }
  }

  /// Drops what is in a slot, without disposing of it; its owner has ended.
  func remove(at index: Int) {
    lock.lock()
    defer { lock.unlock() }
    if isClosed { return }
    entries[index].resource = nil
    free.append(index)
    if entries.count > 64, free.count == entries.count {
      entries = []
      free = []
    }
  }

  /// Disposes of everything in it in the order it came, and of whatever is inserted from now on.
  @usableFromInline override package func dispose() {
    lock.lock()
    var all = entries
    let isInOrder = inserted == all.count
    entries = []
    free = []
    isClosed = true
    lock.unlock()
    if !isInOrder { all.sort { $0.order < $1.order } }
    for entry in all { entry.resource?.dispose() }
  }
}
