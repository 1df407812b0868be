import Synchronization

/// A hub that remembers: a new observer first receives the last elements, up to a number, and then
/// everything that follows, each once and in order, even when elements arrive meanwhile.
@usableFromInline package final class Multicast<Element>: @unchecked Sendable {
  // The hub's lock protects `recent` and `isHandedOver`.
  @usableFromInline package let hub = Hub<Element>()
  @usableFromInline let capacity: Int
  @exclusivity(unchecked) @usableFromInline var recent = Fifo<Element>()
  @exclusivity(unchecked) @usableFromInline var isHandedOver = false
  private let handsOver: Bool

  /// Remembers up to `capacity` elements.
  ///
  /// - Parameter handsOver: whether only the first observer receives what came before it, and
  ///   nothing is remembered from then on.
  @usableFromInline package init(capacity: Int, handsOver: Bool = false) {
    self.capacity = capacity
    self.handsOver = handsOver
  }

  /// Remembers one element, and has it from the start.
  @inlinable package convenience init(value: Element) {
    self.init(capacity: 1)
    recent.append(value)
  }

  /// The last element.
  @inlinable package var last: Element? {
    hub.lock.lock()
    defer { hub.lock.unlock() }
    return recent.last
  }

  /// The last element, after `body` has run with the lock held.
  @inlinable package func last(after body: () -> Void) -> Element? {
    hub.lock.lock()
    defer { hub.lock.unlock() }
    body()
    return recent.last
  }

  /// Forgets what it remembers.
  package func forget() {
    var forgotten = Fifo<Element>()
    hub.lock.withLock { swap(&forgotten, &recent) }
  }

  /// Remembers `element` and delivers it to all.
  @inlinable package func next(_ element: Element) {
    if capacity == 0 { return hub.next(element) }
    next { element }
  }

  /// Remembers what `make` returns, if anything, and delivers it to all.
  ///
  /// `make` is called with the lock held: what it decides by cannot change before the element is
  /// remembered. It must run no code of a user's.
  @inlinable package func next(_ make: () -> Element?) {
    var forgotten: Element?
    hub.lock.lock()
    guard !hub.isStopped, let element = make() else { return hub.lock.unlock() }
    if isHandedOver {
      hub.lock.unlock()
      return hub.next(element)
    }
    if capacity == 1, recent.count == 1 {
      forgotten = recent.replaceFirst(with: element)
    } else {
      if recent.count == capacity { forgotten = recent.popFirst() }
      recent.append(element)
    }
    let pinned = hub.pinLocked()
    hub.lock.unlock()
    // A forgotten element may run a user's deinit: not under the lock.
    withExtendedLifetime(forgotten) {}
    hub.deliver(element, to: pinned)
  }

  /// Adds an observer and tells it what is remembered.
  ///
  /// - Parameter replaysAfterEnd: whether an observer that comes after the end still receives what
  ///   is remembered, before the terminal.
  @usableFromInline package func add(_ down: Observer<Element>, replaysAfterEnd: Bool) {
    hub.lock.lock()
    let missed = recent.elements
    if handsOver {
      isHandedOver = true
      recent.removeAll()
    }
    if missed.isEmpty || hub.isStopped {
      let ending = hub.endingLocked
      let isAdded = ending == nil ? hub.insertedLocked(down) : nil
      hub.lock.unlock()
      if let isAdded { return down.lifetime.add(isAdded) }
      if replaysAfterEnd { missed.forEach(down.next) }
      return down.end(ending ?? nil)
    }
    let newcomer = Newcomer(down, lock: hub.lock)
    let node = hub.insertedLocked(
      Observer(down.lifetime, next: { newcomer.next($0) }, end: { newcomer.end($0) }))
    hub.lock.unlock()
    if let node { down.lifetime.add(node) }
    newcomer.catchUp(missed)
  }
}

/// An observer that is still being told what it missed; what arrives meanwhile waits its turn.
private final class Newcomer<Element>: @unchecked Sendable {
  // `lock` protects `waiting` and `ending`; `isBehind` is cleared under it. `isOnLast` is written and
  // read by the catching-up thread alone.
  private let down: Observer<Element>
  private let lock: Lock
  private let isBehind = Atomic(true)
  private let thread = threadIdentity()
  @exclusivity(unchecked) private var isOnLast = false
  @exclusivity(unchecked) private var waiting: [Element] = []
  @exclusivity(unchecked) private var ending: (any Error)??

  init(_ down: Observer<Element>, lock: Lock) {
    self.down = down
    self.lock = lock
  }

  func next(_ element: Element) {
    if !isBehind.load(ordering: .acquiring) { return down.next(element) }
    lock.lock()
    let waits = isBehind.load(ordering: .relaxed) && !isNestedLocked
    if waits { waiting.append(element) }
    lock.unlock()
    if !waits { down.next(element) }
  }

  func end(_ error: (any Error)?) {
    lock.lock()
    let waits = isBehind.load(ordering: .relaxed) && !isNestedLocked
    if waits { ending = .some(error) }
    lock.unlock()
    if !waits { down.end(error) }
  }

  /// Whether the observer itself sends while it is told the last element: delivered nested, as
  /// everywhere, unless another thread's elements wait, which came first.
  ///
  /// The caller holds the lock.
  private var isNestedLocked: Bool { waiting.isEmpty && threadIdentity() == thread && isOnLast }

  func catchUp(_ missed: [Element]) {
    var batch = missed
    while true {
      deliver(batch)
      lock.lock()
      batch = waiting
      waiting = []
      let ending = batch.isEmpty ? self.ending : nil
      if batch.isEmpty { isBehind.store(false, ordering: .releasing) }
      lock.unlock()
      if let ending { return down.end(ending) }
      if batch.isEmpty { return }
    }
  }

  private func deliver(_ batch: [Element]) {
    for (index, element) in batch.enumerated() {
      if down.lifetime.isDisposed { return }
      isOnLast = index == batch.count - 1
      down.next(element)
    }
    isOnLast = false
  }
}
