/// The connections to a source that observers share, one at a time: under `share`, `publish` and their
/// kin.
///
/// The source is subscribed to once at a time: a new connection begins when the one before has let go of it. A
/// thread that comes meanwhile does not wait; the thread that ends the old connection begins the new one. A
/// connection whose observers leave while the source is being subscribed to ends behind that, as in RxSwift:
/// what the source emits meanwhile is remembered where something is, and who comes meanwhile joins in.
@usableFromInline final class Connections<Element>: @unchecked Sendable {
  private struct State {
    /// The connection that is running or to come.
    var latest: Connection<Element>?
    /// The connection whose source is subscribed to; it may have ended, and not have let go yet.
    var begun: Connection<Element>?
  }

  // The lock of `state` protects the counts of its connections too; `make` is immutable. A connection
  // is never released under the lock: whoever ends one still holds it.
  private let state = Locked(State())
  private let make: () -> Connection<Element>

  /// - Parameter make: makes a connection; called again when somebody comes after the end of one.
  @usableFromInline init(_ make: @escaping () -> Connection<Element>) { self.make = make }

  /// Has `down` observe the connection, which begins with the first and ends with the last.
  @usableFromInline func subscribe(_ down: Observer<Element>) {
    // The same one to the end: between any two lines it may be over, and a new one begin.
    let current = current { $0.observers += 1 }
    current.observe(down)
    down.lifetime.add(ActionDisposable { self.leave(current) })
    begin(current)
  }

  /// Begins the connection that is running or to come, unless that has been done.
  func connect(within lifetime: Lifetime? = nil) -> Connection<Element> {
    let current = current { $0.isConnected = true }
    lifetime?.add(current)
    begin(current)
    return current
  }

  /// The connection that is running or to come.
  ///
  /// - Parameter enter: called with it, with the lock held.
  func current(_ enter: (Connection<Element>) -> Void = { _ in }) -> Connection<Element> {
    func entered(_ latest: Connection<Element>?) -> Connection<Element>? {
      guard let latest, !latest.isClosed else { return nil }
      enter(latest)
      return latest
    }
    if let current = state.withLock({ entered($0.latest) }) { return current }
    let made = make()
    return state.withLock { state in
      if let current = entered(state.latest) { return current }
      state.latest = made
      return entered(made) ?? made
    }
  }

  /// Subscribes `connection` to the source, unless that has been done or nobody wants it; when the one before has
  /// not let go of it yet, who ends that one does it.
  private func begin(_ connection: Connection<Element>) {
    if state.withLock({ Self.mayBegin(connection, &$0) }) { run(connection) }
  }

  private static func mayBegin(_ connection: Connection<Element>, _ state: inout State) -> Bool {
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

  private func run(_ connection: Connection<Element>) {
    guard connection.isHeld else { return subscribe(connection) }
    // Sources that take turns emit behind this.
    Trampoline.enter {
      subscribe(connection)
      leave(connection)
    }
  }

  private func subscribe(_ connection: Connection<Element>) {
    connection.begin(connection, Lifetime(parent: connection))
    // Behind the source, which is let go of first.
    connection.add(
      ActionDisposable { [weak self, unowned connection] in self?.letGo(connection) })
  }

  /// `connection` has let go of the source: the next one may begin.
  private func letGo(_ connection: Connection<Element>) {
    let next = state.withLock { state -> Connection<Element>? in
      if state.latest === connection { state.latest = nil }
      if state.begun === connection { state.begun = nil }
      guard let latest = state.latest, Self.mayBegin(latest, &state) else { return nil }
      return latest
    }
    if let next { run(next) }
  }

  private func leave(_ left: Connection<Element>) {
    let isOver = state.withLock { state in
      left.observers -= 1
      let isOver = left.observers == 0 && left.hasBegun
      if isOver, state.latest === left { state.latest = nil }
      return isOver
    }
    if isOver { left.dispose() }
  }
}

/// One subscription to a source, begun or to come.
@usableFromInline final class Connection<Element>: Lifetime, @unchecked Sendable {
  // `observers`, `isConnected` and `hasBegun` are protected by the lock of `Connections`; `isHeld` is written
  // under it, by the thread that reads it; the rest is immutable.
  @exclusivity(unchecked) fileprivate var observers = 0
  @exclusivity(unchecked) fileprivate var isConnected = false
  @exclusivity(unchecked) fileprivate var hasBegun = false
  /// Whether the thread that subscribes it to the source counts among its observers until it has done so.
  @exclusivity(unchecked) fileprivate var isHeld = false
  fileprivate let begin: (Connection, _ source: Lifetime) -> Void
  private let observe: (Connection, Observer<Element>) -> Void

  /// - Parameters:
  ///   - begin: subscribes it to the source, whose lifetime it holds.
  ///   - observe: adds an observer.
  @usableFromInline init(
    begin: @escaping (Connection, _ source: Lifetime) -> Void,
    observe: @escaping (Connection, Observer<Element>) -> Void
  ) {
    self.begin = begin
    self.observe = observe
    super.init()
  }

  fileprivate var isWanted: Bool { observers > 0 || isConnected }

  /// Adds an observer.
  func observe(_ down: Observer<Element>) { observe(self, down) }
}
