import Synchronization

/// The requests of a socket that wait for their replies.
///
/// Every ``WebSocketType`` has one. It counts late and unmatched replies, and a type that conforms
/// to ``WebSocketType`` passes it each message before its observers receive it:
///
/// ```swift
/// let pendingRequests = PendingRequests()
///
/// func received(_ message: WebSocketMessage) {
///   if !pendingRequests.take(message) { subject.onNext(message) }
/// }
/// ```
///
/// A socket that wraps another one returns that one's requests. Messages are passed on one thread at
/// a time; everything else is possible on any thread.
public final class PendingRequests: Sendable {
  private let table = Locked(RequestTable())
  /// The number of waiting requests, for the event loop.
  private let count = Atomic(0)
  private let clock: LoopClock
  private let queue: RequestQueue?
  private let beganWaiting: (@Sendable () -> Void)?

  /// Creates the requests of a socket.
  ///
  /// - Parameters:
  ///   - clock: of the deadlines; without a scheduler, a composer's clock is used, if any.
  ///   - queue: sends the requests of a socket that reconnects; nil for other sockets.
  ///   - beganWaiting: called when a request waits and no other did.
  init(
    clock: LoopClock,
    queue: RequestQueue? = nil,
    beganWaiting: (@Sendable () -> Void)? = nil
  ) {
    (self.clock, self.queue, self.beganWaiting) = (clock, queue, beganWaiting)
  }

  /// Creates the requests of a socket of your own.
  ///
  /// - Parameter scheduler: clock of the deadlines. Nil, the default, is the clock of the composer
  ///   or test that makes a request, otherwise the system's.
  public convenience init(scheduler: (any SchedulerType)? = nil) {
    self.init(clock: LoopClock(loop: .shared, scheduler: scheduler))
  }

  /// The counts of requests and replies so far.
  public var metrics: RequestMetrics { table.withLock { $0.metrics } }

  // MARK: For the socket

  /// Ends the request to which `message` replies, on this thread.
  ///
  /// Returns false for an ordinary message, which the observers must receive. A late reply is taken
  /// too.
  public func take(_ message: WebSocketMessage) -> Bool {
    var isReadable = false
    // Decoding runs code of the user, so the table is not locked meanwhile.
    for active in table.withLock({ $0.readers }) {
      guard let header = active.reader.header(message) else { continue }
      isReadable = true
      switch change({ $0.match(header.key, read: active) }) {
      case .reply(let request):
        request.end(.reply(message, header: header.value))
        return true
      case .late: return true
      case .none: break
      }
    }
    if isReadable { change { $0.countUnmatched() } }
    return false
  }

  /// Fails the requests that were sent, because the socket has ended; later ones fail too.
  ///
  /// - Parameter error: the error that the socket failed with; `closed` when either side closed it.
  public func connectionEnded(_ error: WebSocketError) { lose(error, isFinal: true) }

  /// Fails the requests of a connection that another one follows.
  ///
  /// Returns those that are to be sent again, in the order of their starts.
  func connectionLost(_ error: WebSocketError) -> [(RequestTicket, WebSocketMessage)] {
    lose(error, isFinal: false)
  }

  @discardableResult
  private func lose(
    _ error: WebSocketError, isFinal: Bool
  ) -> [(RequestTicket, WebSocketMessage)] {
    let (failed, repeated) = change { $0.loseConnection(error, isFinal: isFinal) }
    for request in failed { request.end(.failure(.connectionLost(error))) }
    return repeated
  }

  /// Whether a request waits for a reply.
  var isWaiting: Bool { count.load(ordering: .acquiring) > 0 }

  /// Counts a message that had no observer and no room.
  func noteDiscarded() { change { $0.countDiscarded() } }

  /// Changes the table; closures that it returns are called without the lock.
  private func change<Result>(_ body: (inout RequestTable) -> Result) -> Result {
    table.withLock { table in
      defer { count.store(table.count, ordering: .releasing) }
      return body(&table)
    }
  }
}

// MARK: - A request

extension PendingRequests {
  /// Sends a request, and ends it by its reply, an error or its deadline.
  ///
  /// - Parameters:
  ///   - scheduler: clock of the deadline for a socket without one.
  ///   - send: sends the message, unless the socket has a queue.
  /// - Returns: the subscription; disposed of, the request ends without a result.
  func start(
    _ request: OutgoingRequest,
    on scheduler: (any SchedulerType)?,
    send: (WebSocketMessage) throws(WebSocketError) -> Void
  ) -> any Disposable {
    let (added, isFirst) = change { ($0.add(request), $0.count == 1) }
    guard let ticket = added else {
      request.end(.failure(.keyInUse("\(request.key)")))
      return Disposables.create()
    }
    if isFirst { beganWaiting?() }
    var clock = clock
    clock.scheduler = clock.scheduler ?? scheduler
    let deadline = clock.afterAnywhere(request.timeout) { [weak self] in
      self?.stop(ticket)?.end(.failure(.timedOut(after: request.timeout)))
    }
    do throws(WebSocketError) {
      if let queue {
        try queue.send(request.message, ticket)
      } else {
        try send(request.message)
        noteSent(ticket)
      }
    } catch {
      fail(ticket, error)
    }
    return Disposables.create {
      deadline.dispose()
      _ = self.stop(ticket)
    }
  }

  private func noteSent(_ ticket: RequestTicket) {
    // The socket may have ended since it accepted the message.
    guard let (request, error) = change({ $0.noteSent(ticket) }) else { return }
    request.end(.failure(.connectionLost(error)))
  }

  /// Removes a request before its reply, unless it has ended.
  private func stop(_ ticket: RequestTicket) -> WaitingRequest? {
    // A queued request is not sent any more, and has no late reply.
    if let queue, let request = change({ $0.removeUnsent(ticket) }) {
      queue.withdrew()
      return request
    }
    return change { $0.abandon(ticket) }
  }
}

// MARK: - A queue

/// Sends the requests of a socket that keeps messages for its next connection.
struct RequestQueue: Sendable {
  let send: @Sendable (WebSocketMessage, RequestTicket) throws(WebSocketError) -> Void
  /// Called when a request has ended that was not sent yet.
  let withdrew: @Sendable () -> Void
}

extension PendingRequests {
  /// Notes that a queued request is being sent; returns false when it has ended.
  func beginSending(_ ticket: RequestTicket) -> Bool { change { $0.markSent(ticket) } }

  /// Notes that the connection has refused the request, which is queued again or fails.
  func sendingFailed(_ ticket: RequestTicket) { change { $0.markUnsent(ticket) } }

  /// Fails a request that is not sent, or not again.
  func fail(_ ticket: RequestTicket, _ error: WebSocketError) {
    change { $0.remove(ticket) }?.failUnsent(error)
  }
}
