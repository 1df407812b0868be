import Synchronization

/// A hub that remembers elements and replays them to a new observer.
///
/// A new observer first receives the last elements, up to a number, and then all later ones. Each
/// element arrives once and in order, even when other threads send during the replay.
@usableFromInline package final class ReplayingHub<Element>: @unchecked Sendable {
  // The hub's lock protects `recent` and `isHandedOver`.
  @usableFromInline package let hub = ObserverHub<Element>()
  @usableFromInline let capacity: Int
  @exclusivity(unchecked) @usableFromInline var recent = Fifo<Element>()
  @exclusivity(unchecked) @usableFromInline var isHandedOver = false
  private let handsOver: Bool

  /// Creates a replaying hub that remembers up to `capacity` elements.
  ///
  /// - Parameter handsOver: whether only the first observer receives the earlier elements, and
  ///   nothing is remembered from then on
  @usableFromInline package init(capacity: Int, handsOver: Bool = false) {
    self.capacity = capacity
    self.handsOver = handsOver
  }

  /// Creates a replaying hub that remembers one element, at first `value`.
  @inlinable package convenience init(value: Element) {
    self.init(capacity: 1)
    recent.append(value)
  }

  /// The last element that was sent, if it is remembered.
  @inlinable package var last: Element? { last {} }

  /// Returns the last element, after `body` has run with the lock held.
  @inlinable package func last(after body: () -> Void) -> Element? {
    hub.lock.lock()
    defer { hub.lock.unlock() }
    body()
    return recent.last
  }

  /// Removes and returns the oldest element, after `body` has run with the lock held.
  @inlinable package func take(_ body: () -> Void) -> Element? {
    hub.lock.lock()
    defer { hub.lock.unlock() }
    body()
    return recent.popFirst()
  }

  /// Forgets all elements.
  package func forget() {
    var forgotten = Fifo<Element>()
    hub.lock.withLock { swap(&forgotten, &recent) }
  }

  /// The number of remembered elements.
  package var rememberedCount: Int { hub.lock.withLock { recent.count } }

  /// Forgets the elements for which `isForgotten` returns true.
  ///
  /// `isForgotten` is called with the lock held, and must run no code of a user.
  package func forget(where isForgotten: (Element) -> Bool) {
    var (kept, forgotten) = (Fifo<Element>(), Fifo<Element>())
    hub.lock.lock()
    guard !recent.isEmpty else { return hub.lock.unlock() }
    swap(&forgotten, &recent)
    for index in 0..<forgotten.count where !isForgotten(forgotten[index]) {
      kept.append(forgotten[index])
    }
    swap(&kept, &recent)
    hub.lock.unlock()
    // An element may run a deinit of a user, which must not run under the lock.
    withExtendedLifetime(forgotten) {}
  }

  /// Remembers `element` and delivers it to all observers.
  @inlinable package func next(_ element: Element) {
    if capacity == 0 { return hub.next(element) }
    hub.lock.lock()
    if hub.isStopped { return hub.lock.unlock() }
    remember(element)
  }

  /// Remembers the result of `make`, if any, and delivers it to all observers.
  ///
  /// `make` is called with the lock held, so its conditions still hold when the element is
  /// remembered. It must run no code of a user.
  @inlinable package func next(_ make: () -> Element?) {
    hub.lock.lock()
    guard !hub.isStopped, let element = make() else { return hub.lock.unlock() }
    remember(element)
  }

  /// Remembers `element` and delivers it to all observers.
  ///
  /// The caller holds the lock, which this function releases.
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
    // A forgotten element may run a deinit of a user, which must not run under the lock.
    withExtendedLifetime(forgotten) {}
    hub.deliver(element, to: pinned)
  }

  /// Completes with the result of `take`, if any, and forgets all other elements.
  ///
  /// `take` is called with the lock held: of two threads that complete at once, the thread that ends
  /// the hub also has the element. The hub has ended before an observer receives the element.
  func complete(with take: () -> Element?) {
    var forgotten = Fifo<Element>()
    hub.lock.lock()
    guard !hub.isStopped else { return hub.lock.unlock() }
    swap(&forgotten, &recent)
    let element = take()
    if let element { recent.append(element) }
    let nodes = hub.stopLocked(nil)
    hub.lock.unlock()
    // An element may run a deinit of a user, which must not run under the lock.
    withExtendedLifetime(forgotten) {}
    if let element {
      nodes.forEach { unsafeDowncast($0, to: HubNode<Element>.self).deliver(element) }
    }
    nodes.forEach { $0.receiveEnd(nil) }
  }

  /// Adds an observer and replays the remembered elements to it.
  ///
  /// - Parameter replaysAfterEnd: whether an observer that is added after the end receives the
  ///   remembered elements before the terminal
  @usableFromInline package func add(_ down: Observer<Element>, replaysAfterEnd: Bool) {
    hub.lock.lock()
    let missed = recent
    if handsOver {
      isHandedOver = true
      recent.removeAll()
    }
    let replayNode = missed.isEmpty ? nil : ReplayNode(hub, down)
    let node = replayNode ?? HubNode(hub, down)
    let isAdded = hub.insertLocked(node)
    let ending = hub.endingLocked
    hub.lock.unlock()
    if isAdded {
      down.lifetime.add(node)
      replayNode?.catchUp(missed)
    } else {
      for index in 0..<(replaysAfterEnd ? missed.count : 0) where !down.lifetime.isDisposed {
        down.next(missed[index])
      }
      down.end(ending ?? nil)
    }
  }
}

/// An observer that first receives older elements; elements that arrive meanwhile are queued.
///
/// A gate holds the queue. The replaying thread is inside it from the start, and delivers the queued
/// elements when it leaves. As with every gate, a sender then relieves that thread after a
/// millisecond, and waits when the queue is long.
private final class ReplayNode<Element>: HubNode<Element>, @unchecked Sendable {
  // `state` is 4 until an event arrives with nothing queued or being delivered. The hub's lock
  // protects `gate` and `queued`, and is held when `state` becomes 0. Only a thread inside the gate
  // uses `isOnLast`.
  private let thread = threadIdentity()
  @exclusivity(unchecked) private var isOnLast = false
  @exclusivity(unchecked) private var gate: SerialGate?
  /// The number of queued events that no thread has begun to deliver.
  @exclusivity(unchecked) private var queued = 0

  override init(_ hub: HubCore, _ down: Observer<Element>) {
    super.init(hub, down)
    state.store(4, ordering: .relaxed)
  }

  override func receiveInactive(_ element: Element) {
    pass { if !self.lifetime.isClosed { self.next(element) } }
  }

  override func receiveEnd(_ error: (any Error)?) { pass { self.deliverEnd(error) } }

  private func deliverEnd(_ error: (any Error)?) { super.receiveEnd(error) }

  /// Runs `deliver` now, or queues it behind the events that arrived before.
  ///
  /// An event that the observer itself sends while it receives the last replayed element is not
  /// queued. It is delivered nested, as everywhere, unless events of another thread are queued:
  /// those arrived first.
  private func pass(_ deliver: @escaping () -> Void) {
    hub.lock.lock()
    let owner = gate.map { $0.owner.load(ordering: .acquiring) & ~3 } ?? thread
    let isInside = owner == threadIdentity()
    if queued == 0, owner == 0 { stopQueuing() }
    let isQueuing = state.load(ordering: .relaxed) == 4
    guard isQueuing, !(isInside && isOnLast && queued == 0) else {
      hub.lock.unlock()
      return deliver()
    }
    queued += 1
    let gate = self.gate ?? SerialGate(lifetime, inside: thread)
    self.gate = gate
    hub.lock.unlock()
    let body = { (_: Void) in
      self.hub.lock.withLock { self.queued -= 1 }
      deliver()
    }
    if isInside { gate.queueInside(0) { _ in body(()) } } else { gate.runLater((), body) }
  }

  /// Lets later events pass without the gate; the caller holds the lock.
  private func stopQueuing() {
    _ = state.compareExchange(expected: 4, desired: 0, ordering: .acquiringAndReleasing)
  }

  func catchUp(_ missed: Fifo<Element>) {
    for index in 0..<missed.count where !lifetime.isClosed {
      isOnLast = index == missed.count - 1
      next(missed[index])
    }
    let gate = hub.lock.withLock {
      if self.gate == nil { stopQueuing() }
      return self.gate
    }
    gate?.exit()
  }
}
