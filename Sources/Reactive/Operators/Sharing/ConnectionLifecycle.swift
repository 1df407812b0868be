import Synchronization

/// The connections to a source that observers share, one at a time.
///
/// `share`, `publish` and similar operators use this class.
///
/// There is at most one subscription to the source. A new connection begins when the previous one
/// has released the source and its subscribing call has returned. A thread that subscribes before
/// that does not wait: the thread that ends the last of these two uses begins the new connection.
///
/// Observers may be disposed of while the source is being subscribed to. As in RxSwift, the
/// connection then ends after the subscribing call. Elements emitted meanwhile are remembered if
/// the multicast remembers any, and an observer that subscribes meanwhile joins the connection.
@usableFromInline final class ConnectionLifecycle<Element>: @unchecked Sendable {
  private struct State {
    /// The running connection, or the one that begins next; it may be closed already.
    var latest: SharedConnection<Element>?
    /// The connection that uses the source: from just before it subscribes, until `endUse` has noted
    /// the end of both uses.
    var begun: SharedConnection<Element>?
  }

  // The lock of `state` also protects the counts of its connections; `make` is immutable. A
  // connection is never released under the lock: the thread that ends it still holds a reference.
  private let state = Locked(State())
  private let make: () -> SharedConnection<Element>

  /// - Parameter make: makes a connection; called again for a subscription after the end of one
  @usableFromInline init(_ make: @escaping () -> SharedConnection<Element>) { self.make = make }

  /// Adds `down` to the connection, which begins with the first observer and ends with the last.
  @usableFromInline func subscribe(_ down: Observer<Element>) {
    // All lines use the same connection: it may end between two of them, and a new one may begin.
    let current = current { $0.holderCount += 1 }
    current.observe(down)
    state.withLock { _ in current.addedObserverCount += 1 }
    down.lifetime.add(ActionDisposable { self.removeObserver(of: current, isAdded: true) })
    // Replayed elements or a kept end may have ended `down`, which needs no connection then. Other
    // observers of this connection begin it themselves.
    if !down.lifetime.isDisposed { begin(current) }
  }

  /// Begins the current connection, unless it has begun or must wait, and returns it.
  func connect(within lifetime: Lifetime? = nil) -> SharedConnection<Element> {
    let current = current { $0.isConnected = true }
    lifetime?.add(current)
    begin(current)
    return current
  }

  /// Adds `down` to the one connection of `autoconnect()`, which is kept in `stored`.
  ///
  /// The first observer stores the current connection there, and begins it. It is never replaced; it
  /// ends with the source, with its disposal, or with the last observer of `refCount()`.
  func subscribe(_ down: Observer<Element>, once stored: Locked<SharedConnection<Element>?>) {
    let present = stored.withLock { $0 }
    // Made without the lock, because `make` runs code of a user.
    let candidate = present ?? current()
    let (connection, isFirst) = stored.withLock { stored in
      if let stored { return (stored, false) }
      stored = candidate
      return (candidate, true)
    }
    connection.observe(down)
    guard isFirst else { return }
    state.withLock { _ in connection.isConnected = true }
    begin(connection)
  }

  /// Returns the connection that runs or begins next.
  ///
  /// - Parameter update: called with the connection, with the lock held
  func current(_ update: (SharedConnection<Element>) -> Void = { _ in })
    -> SharedConnection<Element>
  {
    func updated(_ latest: SharedConnection<Element>?) -> SharedConnection<Element>? {
      guard let latest, !latest.isClosed else { return nil }
      update(latest)
      return latest
    }
    if let current = state.withLock({ updated($0.latest) }) { return current }
    let made = make()
    made.lifecycle = self
    // Released after unlocking: what its observers hold may have a `deinit` that uses this.
    var replaced: SharedConnection<Element>?
    defer { withExtendedLifetime(replaced) {} }
    return state.withLock { state in
      if let current = updated(state.latest) { return current }
      replaced = state.latest
      state.latest = made
      return updated(made) ?? made
    }
  }

  /// Subscribes `connection` to the source, unless it has begun, is closed, or is not wanted.
  ///
  /// While the previous connection holds the source, this does nothing: the thread that ends the
  /// previous one begins this one. When a connection ends while it subscribes, the following one is
  /// begun in this loop: by recursion there could be too many.
  fileprivate func begin(_ connection: SharedConnection<Element>) {
    guard mayBegin(connection) else { return }
    var begun = connection
    // As in RxSwift, sources that take turns on the trampoline emit inside `connect()`.
    while !begun.isHeld {
      guard let next = run(begun), mayBegin(next) else { return }
      begun = next
    }
    // Those of the other operators emit after this closure.
    Trampoline.run { while let next = run(begun), mayBegin(next) { begun = next } }
  }

  private func mayBegin(_ connection: SharedConnection<Element>) -> Bool {
    state.withLock { state in
      if connection.hasBegun || !connection.isWanted || connection.isClosed { return false }
      var begun = state.begun
      #if EXPLORED
      if PlantedFault.overlappingConnections.isPlanted { begun = nil }
      #endif
      if let begun {
        begun.lifecycleForNext = self
        return false
      }
      connection.hasBegun = true
      if !connection.isConnected {
        connection.isHeld = true
        connection.holderCount += 1
      }
      state.begun = connection
      return true
    }
  }

  /// Subscribes to the source, and returns the next connection if this one has ended meanwhile.
  private func run(_ connection: SharedConnection<Element>) -> SharedConnection<Element>? {
    connection.subscribeToSource(connection, Lifetime(parent: connection))
    if connection.isHeld { removeObserver(of: connection, isAdded: false) }
    return endUse(of: connection) { $0.isSubscribed = true }
  }

  /// Notes that one of the two users of the source has ended its use.
  ///
  /// The users are the connection, until it is released, and the call that subscribes. When both
  /// have ended, this returns the latest connection, if any; `begin` decides whether it may begin.
  ///
  /// - Parameter update: notes the end, with the lock held
  fileprivate func endUse(
    of connection: SharedConnection<Element>, _ update: (SharedConnection<Element>) -> Void
  ) -> SharedConnection<Element>? {
    // `lifecycle` is released after unlocking.
    var lifecycle: ConnectionLifecycle?
    defer { withExtendedLifetime(lifecycle) {} }
    return state.withLock { state in
      update(connection)
      guard connection.isReleased, connection.isSubscribed || !connection.hasBegun else {
        return nil
      }
      if state.latest === connection { state.latest = nil }
      if state.begun === connection { state.begun = nil }
      lifecycle = connection.lifecycleForNext.take()
      return state.latest
    }
  }

  private func removeObserver(of connection: SharedConnection<Element>, isAdded: Bool) {
    let isLast = state.withLock { state in
      connection.holderCount -= 1
      if isAdded { connection.addedObserverCount -= 1 }
      let isLast = connection.holderCount == 0 && connection.hasBegun
      if isLast, state.latest === connection { state.latest = nil }
      return isLast
    }
    if isLast { connection.dispose() }
  }
}

/// One subscription to a source, which has begun or will begin.
@usableFromInline final class SharedConnection<Element>: Lifetime, @unchecked Sendable {
  // The lock of `ConnectionLifecycle` protects the fields up to `lifecycleForNext`. `isHeld` is read
  // by the thread that has written it. `lifecycle` is written before other threads know this.
  // Only the ending thread uses `beginNextAfterEnd`. The other fields are immutable.
  /// How many keep this connection: observers of `share` and `refCount()`, and the subscribing call
  /// while `isHeld`.
  @exclusivity(unchecked) fileprivate var holderCount = 0
  /// How many of these observers are added, and so receive elements.
  ///
  /// The thread that ends the previous connection must not begin this one before an observer is
  /// added: it would miss elements that the source emits at once.
  @exclusivity(unchecked) fileprivate var addedObserverCount = 0
  @exclusivity(unchecked) fileprivate var isConnected = false
  @exclusivity(unchecked) fileprivate var hasBegun = false
  /// Whether the thread that subscribes to the source counts as an observer until it has done so.
  @exclusivity(unchecked) fileprivate var isHeld = false
  /// Whether the call that subscribes to the source has returned.
  @exclusivity(unchecked) fileprivate var isSubscribed = false
  /// Whether all resources of the subscription to the source are disposed of.
  @exclusivity(unchecked) fileprivate var isReleased = false
  /// Keeps the lifecycle while another connection waits for this one.
  ///
  /// The observable may be released meanwhile.
  @exclusivity(unchecked) fileprivate var lifecycleForNext: ConnectionLifecycle<Element>?
  fileprivate weak var lifecycle: ConnectionLifecycle<Element>?
  /// The thread that ends this and delivers the end, or 0.
  private let endingThread = Atomic<UInt>(0)
  @exclusivity(unchecked) private var beginNextAfterEnd: (() -> Void)?
  fileprivate let subscribeToSource: (SharedConnection, _ source: Lifetime) -> Void
  private let observe: (SharedConnection, Observer<Element>) -> Void

  /// - Parameters:
  ///   - begin: subscribes to the source; the connection is the parent of the source's lifetime
  ///   - observe: adds an observer
  @usableFromInline init(
    begin: @escaping (SharedConnection, _ source: Lifetime) -> Void,
    observe: @escaping (SharedConnection, Observer<Element>) -> Void
  ) {
    subscribeToSource = begin
    self.observe = observe
    super.init()
    observeRelease()
  }

  fileprivate var isWanted: Bool { addedObserverCount > 0 || isConnected }

  /// Notes that the source is released, with everything in it, and decides when the next connection
  /// begins.
  override func didRelease() -> (() -> Void)? {
    guard let lifecycle, let next = lifecycle.endUse(of: self, { $0.isReleased = true }) else {
      return nil
    }
    // The end is delivered first. An observer that subscribes in it begins the next connection
    // itself, and `beginNext` does nothing then.
    let beginNext = { lifecycle.begin(next) }
    guard endingThread.load(ordering: .relaxed) == threadIdentity() else { return beginNext }
    beginNextAfterEnd = beginNext
    return nil
  }

  /// Releases this after its close, and calls `deliverEnd`; then the next connection begins.
  ///
  /// The next connection may emit for long, and the end of this one must not wait for it.
  @usableFromInline func release(deliveringEnd deliverEnd: () -> Void) {
    endingThread.store(threadIdentity(), ordering: .relaxed)
    release()
    deliverEnd()
    endingThread.store(0, ordering: .relaxed)
    beginNextAfterEnd.take()?()
  }

  /// Adds an observer.
  func observe(_ down: Observer<Element>) { observe(self, down) }
}
