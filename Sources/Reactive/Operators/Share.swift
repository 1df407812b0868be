/// How long a shared observable remembers.
public enum SubjectLifetimeScope {
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
  public func share(
    replay: Int = 0,
    scope: SubjectLifetimeScope = .whileConnected
  ) -> Observable<Element> {
    precondition(replay >= 0, "share: replay is \(replay), and cannot be negative.")
    let shared = Shared(asObservable(), replay: replay, scope: scope)
    return Observable(shape: .direct) { shared.subscribe($0) }
  }
}

/// A source, and the connection to it that its observers share.
private final class Shared<Element>: @unchecked Sendable {
  /// One subscription to the source and those who follow it.
  final class Connection: @unchecked Sendable {
    // `observers` is protected by the lock of `Shared`.
    let multicast: Multicast<Element>
    let upstream = Lifetime()
    @exclusivity(unchecked) var observers = 0

    init(_ multicast: Multicast<Element>) { self.multicast = multicast }
  }

  // `lock` protects `connection` and its count.
  private let lock = Lock()
  @exclusivity(unchecked) private var connection: Connection?
  private let source: Observable<Element>
  private let replay: Int
  /// What outlives connections, in the scope `.forever`.
  private let kept: Multicast<Element>?

  init(_ source: Observable<Element>, replay: Int, scope: SubjectLifetimeScope) {
    self.source = source
    self.replay = replay
    kept = scope == .forever ? Multicast(capacity: replay) : nil
  }

  func subscribe(_ down: Observer<Element>) {
    lock.lock()
    let isFirst = connection == nil
    let current = connection ?? Connection(kept ?? Multicast(capacity: replay))
    current.observers += 1
    connection = current
    lock.unlock()

    current.multicast.add(down, replaysAfterEnd: true)
    down.lifetime.add(ActionDisposable { self.leave(current) })
    // It was ended before: `add` has said so.
    if isFirst, current.multicast.hub.ended == nil { connect(current) }
  }

  private func connect(_ current: Connection) {
    source.start(
      Observer(
        current.upstream,
        next: { if !current.upstream.isClosed { current.multicast.next($0) } },
        end: { error in
          // A new observer, also one that comes while the end is told, begins a new connection.
          self.forget(current)
          current.multicast.hub.end(error)
          current.upstream.dispose()
        }
      )
    )
  }

  private func leave(_ left: Connection) {
    lock.lock()
    left.observers -= 1
    let isLast = left.observers == 0
    if isLast, connection === left { connection = nil }
    lock.unlock()
    if isLast { left.upstream.dispose() }
  }

  private func forget(_ ended: Connection) {
    lock.withLock { if connection === ended { connection = nil } }
  }
}
