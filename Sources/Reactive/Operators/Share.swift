/// How long a shared observable remembers.
public enum SubjectLifetimeScope: Sendable {
  /// Each connection begins anew: what was replayed is forgotten when the last observer leaves or the
  /// source ends. The recommended default.
  case whileConnected
  /// What was replayed is kept between connections, and an end of the source is final.
  case forever
}

extension ObservableType {
  /// One subscription to the source for all observers: it begins with the first and is disposed of
  /// when the last one leaves.
  ///
  /// - Parameters:
  ///   - replay: how many of the last elements a new observer receives first; 0 by default.
  ///   - scope: whether they are forgotten with the connection (the default) or kept.
  @inlinable public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected)
    -> Observable<Element>
  {
    precondition(replay >= 0, "share: replay is \(replay), and cannot be negative.")
    let shared = Shared(asObservable(), replay: replay, scope: scope)
    return Observable(.direct) { shared.subscribe($0) }
  }
}

/// A source, and the connection to it that its observers share.
@usableFromInline final class Shared<Element>: @unchecked Sendable {
  /// One subscription to the source and those who follow it.
  @usableFromInline final class Connection: @unchecked Sendable {
    // `observers` is protected by the lock of `Shared`.
    @usableFromInline let multicast: Multicast<Element>
    @usableFromInline let upstream = Lifetime()
    @exclusivity(unchecked) @usableFromInline var observers = 0

    @inlinable init(_ multicast: Multicast<Element>) { self.multicast = multicast }
  }

  // `lock` protects `connection` and its count.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var connection: Connection?
  @usableFromInline let source: Observable<Element>
  @usableFromInline let replay: Int
  /// What outlives connections, in the scope `.forever`.
  @usableFromInline let kept: Multicast<Element>?

  @inlinable init(_ source: Observable<Element>, replay: Int, scope: SubjectLifetimeScope) {
    self.source = source
    self.replay = replay
    kept = scope == .forever ? Multicast(capacity: replay) : nil
  }

  @inlinable func subscribe(_ down: Observer<Element>) {
    lock.lock()
    let isFirst = connection == nil
    let current = connection ?? Connection(kept ?? Multicast(capacity: replay))
    current.observers += 1
    connection = current
    lock.unlock()

    current.multicast.add(down, replaysAfterEnd: true)
    down.lifetime.add(ActionDisposable { self.leave(current) })
    // It was ended before: `add` has said so.
    if isFirst, !current.upstream.isClosed, current.multicast.hub.ended == nil { connect(current) }
  }

  @inlinable func connect(_ current: Connection) {
    source.start(
      Observer(
        current.upstream, next: { if !current.upstream.isClosed { current.multicast.next($0) } },
        end: { error in
          if current.upstream.isClosed { return }
          // A new observer, also one that comes while the end is told, begins a new connection; or
          // finds what is kept at its end.
          if self.kept == nil { self.forget(current) }
          current.multicast.hub.end(error)
          current.upstream.dispose()
        }))
  }

  @usableFromInline func leave(_ left: Connection) {
    lock.lock()
    left.observers -= 1
    let isLast = left.observers == 0
    if isLast, connection === left { connection = nil }
    lock.unlock()
    if isLast { left.upstream.dispose() }
  }

  @usableFromInline func forget(_ ended: Connection) {
    lock.withLock { if connection === ended { connection = nil } }
  }
}
