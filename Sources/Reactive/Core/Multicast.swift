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
  @inlinable package var last: Element? { last {} }

  /// The last element, after `body` has run with the lock held.
  @inlinable package func last(after body: () -> Void) -> Element? {
    hub.lock.lock()
    defer { hub.lock.unlock() }
    body()
    return recent.last
  }

  /// Takes the oldest element out, after `body` has run with the lock held.
  @inlinable package func take(_ body: () -> Void) -> Element? {
    hub.lock.lock()
    defer { hub.lock.unlock() }
    body()
    return recent.popFirst()
  }

  /// Forgets what it remembers.
  package func forget() {
    var forgotten = Fifo<Element>()
    hub.lock.withLock { swap(&forgotten, &recent) }
  }

  /// How many elements it remembers.
  package var rememberedCount: Int { hub.lock.withLock { recent.count } }

  /// Forgets the elements for which `isMeant` holds.
  ///
  /// It is called with the lock held, and must run no code of a user's.
  package func forget(where isMeant: (Element) -> Bool) {
    var (kept, forgotten) = (Fifo<Element>(), Fifo<Element>())
    hub.lock.lock()
    guard !recent.isEmpty else { return hub.lock.unlock() }
    swap(&forgotten, &recent)
    for index in 0..<forgotten.count where !isMeant(forgotten[index]) {
      kept.append(forgotten[index])
    }
    swap(&kept, &recent)
    hub.lock.unlock()
    // Elements may run a user's deinit: not under the lock.
    withExtendedLifetime(forgotten) {}
  }

  /// Remembers `element` and delivers it to all.
  @inlinable package func next(_ element: Element) {
    if capacity == 0 { return hub.next(element) }
    hub.lock.lock()
    if hub.isStopped { return hub.lock.unlock() }
    remember(element)
  }

  /// Remembers what `make` returns, if anything, and delivers it to all.
  ///
  /// `make` is called with the lock held: what it decides by cannot change before the element is
  /// remembered. It must run no code of a user's.
  @inlinable package func next(_ make: () -> Element?) {
    hub.lock.lock()
    guard !hub.isStopped, let element = make() else { return hub.lock.unlock() }
    remember(element)
  }

  /// Remembers `element` and delivers it to all.
  ///
  /// The caller holds the lock, which is released on the way.
  @inlinable @inline(__always) func remember(_ element: Element) {
    var forgotten: Element?
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

  /// Completes with `element`, the only one that is remembered then: whoever is told of it finds the hub ended.
  func complete(with element: Element) {
    var forgotten = Fifo<Element>()
    hub.lock.lock()
    guard !hub.isStopped else { return hub.lock.unlock() }
    swap(&forgotten, &recent)
    recent.append(element)
    let nodes = hub.stopLocked(nil)
    hub.lock.unlock()
    // Elements may run a user's deinit: not under the lock.
    withExtendedLifetime(forgotten) {}
    nodes.forEach { unsafeDowncast($0, to: HubNode<Element>.self).deliver(element) }
    nodes.forEach { $0.receiveEnd(nil) }
  }

  /// Adds an observer and tells it what is remembered.
  ///
  /// - Parameter replaysAfterEnd: whether an observer that comes after the end still receives what
  ///   is remembered, before the terminal.
  @usableFromInline package func add(_ down: Observer<Element>, replaysAfterEnd: Bool) {
    hub.lock.lock()
    let missed = recent
    if handsOver {
      isHandedOver = true
      recent.removeAll()
    }
    let newcomer = missed.isEmpty ? nil : Newcomer(hub, down)
    let node = newcomer ?? HubNode(hub, down)
    let isAdded = hub.insertLocked(node)
    let ending = hub.endingLocked
    hub.lock.unlock()
    if isAdded {
      down.lifetime.add(node)
      newcomer?.catchUp(missed)
    } else {
      for index in 0..<(replaysAfterEnd ? missed.count : 0) where !down.lifetime.isDisposed {
        down.next(missed[index])
      }
      down.end(ending ?? nil)
    }
  }
}

/// An observer that is first told what it missed; what arrives meanwhile waits its turn.
private final class Newcomer<Element>: HubNode<Element>, @unchecked Sendable {
  // `state` is 4 while it catches up. The hub's lock protects `waiting` and `ending`, and is held
  // when `state` turns 0. `isOnLast` is written and read by the catching-up thread alone.
  private let thread = threadIdentity()
  @exclusivity(unchecked) private var isOnLast = false
  @exclusivity(unchecked) private var waiting = Fifo<Element>()
  @exclusivity(unchecked) private var ending: (any Error)??

  override init(_ hub: HubCore, _ down: Observer<Element>) {
    super.init(hub, down)
    state.store(4, ordering: .relaxed)
  }

  override func late(_ element: Element) {
    let waits = hub.lock.withLock {
      let waits = waitsLocked
      if waits { waiting.append(element) }
      return waits
    }
    if !waits, !lifetime.isClosed { next(element) }
  }

  override func receiveEnd(_ error: (any Error)?) {
    let waits = hub.lock.withLock {
      let waits = waitsLocked
      if waits { ending = .some(error) }
      return waits
    }
    if !waits { super.receiveEnd(error) }
  }

  /// Whether what comes now has to wait.
  ///
  /// What the observer itself sends while it is told the last element need not: it is delivered
  /// nested, as everywhere, unless another thread's elements wait, which came first. The caller holds
  /// the lock.
  private var waitsLocked: Bool {
    state.load(ordering: .relaxed) == 4
      && !(waiting.isEmpty && threadIdentity() == thread && isOnLast)
  }

  func catchUp(_ missed: Fifo<Element>) {
    var batch = missed
    while true {
      for index in 0..<batch.count where !lifetime.isClosed {
        isOnLast = index == batch.count - 1
        next(batch[index])
      }
      isOnLast = false
      batch = Fifo()
      hub.lock.lock()
      swap(&batch, &waiting)
      let ending = batch.isEmpty ? self.ending : nil
      if batch.isEmpty {
        _ = state.compareExchange(expected: 4, desired: 0, ordering: .acquiringAndReleasing)
      }
      hub.lock.unlock()
      if let ending { return super.receiveEnd(ending) }
      if batch.isEmpty { return }
    }
  }
}
