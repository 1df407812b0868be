/// The connections to a source that observers share, one at a time: under `share`, `publish` and their
/// kin.
@usableFromInline final class Connections<Element>: @unchecked Sendable {
  // The lock of `latest` protects the counts of its connections too; `make` is immutable. A connection
  // is never released under the lock: whoever ends one still holds it.
  private let latest = Locked<Connection<Element>?>(nil)
  private let make: () -> Connection<Element>

  /// - Parameter make: makes a connection; called again when somebody comes after the end of one.
  @usableFromInline init(_ make: @escaping () -> Connection<Element>) { self.make = make }

  /// Has `down` observe the connection, which begins with the first and ends with the last.
  @usableFromInline func subscribe(_ down: Observer<Element>) {
    // The same one to the end: between any two lines it may be over, and a new one begin.
    let current = current(entering: 1)
    current.observe(down)
    down.lifetime.add(ActionDisposable { self.leave(current) })
    begin(current) { current.observers > 0 }
  }

  /// The connection that is running or to come, with so many more observers.
  func current(entering observers: Int = 0) -> Connection<Element> {
    func enter(_ latest: Connection<Element>?) -> Connection<Element>? {
      guard let latest, !latest.isClosed else { return nil }
      latest.observers += observers
      return latest
    }
    if let current = latest.withLock({ enter($0) }) { return current }
    let made = make()
    return latest.withLock { latest in
      if let current = enter(latest) { return current }
      latest = made
      return enter(made) ?? made
    }
  }

  /// Subscribes `connection` to the source, unless that has been done or nobody wants it.
  func begin(_ connection: Connection<Element>, where isWanted: () -> Bool = { true }) {
    let begins = latest.withLock { _ in
      if connection.hasBegun || !isWanted() { return false }
      connection.hasBegun = true
      return true
    }
    guard begins else { return }
    connection.add(
      ActionDisposable { [weak self, unowned connection] in
        self?.latest.withLock { if $0 === connection { $0 = nil } }
      })
    connection.begin(connection)
  }

  private func leave(_ left: Connection<Element>) {
    let isOver = latest.withLock { latest in
      left.observers -= 1
      let isOver = left.observers == 0 && left.hasBegun
      if isOver, latest === left { latest = nil }
      return isOver
    }
    if isOver { left.dispose() }
  }
}

/// One subscription to a source, begun or to come.
@usableFromInline final class Connection<Element>: Lifetime, @unchecked Sendable {
  // `observers` and `hasBegun` are protected by the lock of `Connections`; the rest is immutable.
  @exclusivity(unchecked) fileprivate var observers = 0
  @exclusivity(unchecked) fileprivate var hasBegun = false
  fileprivate let begin: (Connection) -> Void
  private let observe: (Connection, Observer<Element>) -> Void

  /// - Parameters:
  ///   - begin: subscribes it to the source.
  ///   - observe: adds an observer.
  @usableFromInline init(
    begin: @escaping (Connection) -> Void,
    observe: @escaping (Connection, Observer<Element>) -> Void
  ) {
    self.begin = begin
    self.observe = observe
    super.init()
  }

  /// Adds an observer.
  func observe(_ down: Observer<Element>) { observe(self, down) }
}
