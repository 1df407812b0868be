import Synchronization

/// The connections to a source that observers share, one at a time.
///
/// `share`, `publish` and similar operators use this class.
///
/// There is at most one subscription to the source. A new connection begins when the previous one
/// has released the source. A thread that subscribes before that does not wait: the thread that
/// ends the previous connection begins the new one.
///
/// Observers may be disposed of while the source is being subscribed to. As in RxSwift, the
/// connection then ends after the subscribing call. Elements emitted meanwhile are remembered if
/// the multicast remembers any, and an observer that subscribes meanwhile joins the connection.
@usableFromInline final class ConnectionLifecycle<Element>: @unchecked Sendable {
  private struct State {
    /// The connection that runs or begins next.
    var latest: SharedConnection<Element>?
    /// The connection that has subscribed to the source, until it has released the source.
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
    let current = current { $0.observers += 1 }
    current.observe(down)
    state.withLock { _ in current.addedObservers += 1 }
    down.lifetime.add(ActionDisposable { self.removeObserver(of: current, isAdded: true) })
    // Replayed elements or a kept end may have ended `down`. Other observers of this connection
    // begin it themselves.
    if !down.lifetime.isDisposed { begin(current) }
  }

  /// Begins the current connection, unless it has begun, and returns it.
  func connect(within lifetime: Lifetime? = nil) -> SharedConnection<Element> {
    let current = current { $0.isConnected = true }
    lifetime?.add(current)
    begin(current)
    return current
  }

  /// Adds `down` to the connection in `only`, also after its end.
  ///
  /// The first observer stores the current connection there, and begins it. It then ends with the
  /// source only.
  func subscribe(_ down: Observer<Element>, toOnly only: Locked<SharedConnection<Element>?>) {
    let stored = only.withLock { $0 }
    // Made without the lock, because `make` runs code of a user.
    let candidate = stored ?? current()
    let (connection, isFirst) = only.withLock { only in
      if let only { return (only, false) }
      only = candidate
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

  /// Subscribes `connection` to the source, unless it has begun or has no observers.
  ///
  /// While the previous connection holds the source, this does nothing: the thread that ends the
  /// previous one begins this one.
  private func begin(_ connection: SharedConnection<Element>) {
    if state.withLock({ Self.mayBegin(connection, &$0) }) { run(connection) }
  }

  private static func mayBegin(_ connection: SharedConnection<Element>, _ state: inout State)
    -> Bool
  {
    if connection.hasBegun || !connection.isWanted || connection.isClosed { return false }
    var isFree = state.begun == nil
    #if EXPLORED
    if PlantedFault.overlappingConnections.isPlanted { isFree = true }
    #endif
    guard isFree else { return false }
    connection.hasBegun = true
    if !connection.isConnected {
      connection.isHeld = true
      connection.observers += 1
    }
    state.begun = connection
    return true
  }

  private func run(_ connection: SharedConnection<Element>) {
    guard connection.isHeld else { return subscribe(connection) }
    // Sources that take turns on the trampoline emit after this closure.
    Trampoline.run {
      subscribe(connection)
      removeObserver(of: connection, isAdded: false)
    }
  }

  private func subscribe(_ connection: SharedConnection<Element>) {
    let source = Lifetime(parent: connection)
    connection.whenReleased = { [weak self, unowned connection] in
      self?.sourceReleased(by: connection)
    }
    connection.begin(connection, source)
    connection.endUse()
  }

  /// Notes that `connection` has released the source, and begins the next connection.
  private func sourceReleased(by connection: SharedConnection<Element>) {
    let next = state.withLock { state in
      if state.latest === connection { state.latest = nil }
      if state.begun === connection { state.begun = nil }
      return state.latest
    }
    guard let next else { return }
    // An observer that subscribes during the end begins it then.
    connection.afterEnd { self.begin(next) }
  }

  private func removeObserver(of connection: SharedConnection<Element>, isAdded: Bool) {
    let isLast = state.withLock { state in
      connection.observers -= 1
      if isAdded { connection.addedObservers -= 1 }
      let isLast = connection.observers == 0 && connection.hasBegun
      if isLast, state.latest === connection { state.latest = nil }
      return isLast
    }
    if isLast { connection.dispose() }
  }
}

/// One subscription to a source, which has begun or will begin.
@usableFromInline final class SharedConnection<Element>: Lifetime, @unchecked Sendable {
  // The lock of `ConnectionLifecycle` protects `observers`, `addedObservers`, `isConnected` and
  // `hasBegun`. `isHeld` is written under that lock by the thread that reads it. Only the ending
  // thread uses `next`. `whenReleased` is written before the source is subscribed to. The other
  // fields are immutable.
  @exclusivity(unchecked) fileprivate var observers = 0
  /// How many of these have been added and so receive elements.
  ///
  /// The thread that ends the previous connection must not begin this one for others: they would
  /// miss elements that the source emits at once.
  @exclusivity(unchecked) fileprivate var addedObservers = 0
  @exclusivity(unchecked) fileprivate var isConnected = false
  @exclusivity(unchecked) fileprivate var hasBegun = false
  /// Whether the thread that subscribes to the source counts as an observer until it has done so.
  @exclusivity(unchecked) fileprivate var isHeld = false
  /// How many still use the source: the connection, and the call that subscribes.
  private let uses = Atomic(2)
  @exclusivity(unchecked) fileprivate var whenReleased: (() -> Void)?
  /// The thread that ends this and delivers the end, or 0.
  private let endingThread = Atomic<UInt>(0)
  /// Begins the next connection.
  @exclusivity(unchecked) private var next: (() -> Void)?
  fileprivate let begin: (SharedConnection, _ source: Lifetime) -> Void
  private let observe: (SharedConnection, Observer<Element>) -> Void

  /// - Parameters:
  ///   - begin: subscribes to the source; the connection is the parent of the source's lifetime
  ///   - observe: adds an observer
  @usableFromInline init(
    begin: @escaping (SharedConnection, _ source: Lifetime) -> Void,
    observe: @escaping (SharedConnection, Observer<Element>) -> Void
  ) {
    self.begin = begin
    self.observe = observe
    super.init()
    observeRelease()
  }

  fileprivate var isWanted: Bool { addedObservers > 0 || isConnected }

  /// Notes that the source is released, with everything in it.
  override func didRelease() { endUse() }

  /// Notes that one of the uses of the source has ended.
  fileprivate func endUse() {
    if uses.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { whenReleased.take()?() }
  }

  /// Releases this after its close, and calls `deliverEnd`; then the next connection begins.
  ///
  /// The next connection may emit for long, and the end of this one must not wait for it.
  @usableFromInline func release(_ deliverEnd: () -> Void) {
    endingThread.store(threadIdentity(), ordering: .relaxed)
    release()
    deliverEnd()
    endingThread.store(0, ordering: .relaxed)
    next.take()?()
  }

  /// Calls `body` after the delivery of the end: now, unless this thread is about to deliver it.
  fileprivate func afterEnd(_ body: @escaping () -> Void) {
    if endingThread.load(ordering: .relaxed) == threadIdentity() { next = body } else { body() }
  }

  /// Adds an observer.
  func observe(_ down: Observer<Element>) { observe(self, down) }
}
