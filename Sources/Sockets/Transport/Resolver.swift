import Reactive

/// Looks names up on threads of its own, because `getaddrinfo` waits and cannot be interrupted.
///
/// A look-up whose name server does not answer costs a thread for as long as it takes, and delays others by a
/// second at most:
///
/// | a look-up | what happens |
/// | --- | --- |
/// | of a name that is being looked up | gets the same answer |
/// | of another name | runs, or waits while eight run |
/// | without an answer after 1 s | does not count any more: another one takes its place, on another thread |
/// | without an answer after 30 s | fails with `lookupTimedOut`; its thread waits on |
/// | while 64 threads have waited for more than 1 s | fails at once with `tooManyLookups` |
///
/// The time is real, whatever clock a connection has.
final class Resolver: Sendable {
  static let shared = Resolver()

  /// Asks the system; waits.
  typealias Find =
    @Sendable (_ host: String, _ port: UInt16) throws(TransportError) -> [SocketAddress]

  /// A question under way.
  final class Query: Sendable {
    typealias Answer = Result<[SocketAddress], TransportError>
    private let completion: Locked<Completion?>

    private struct Completion {
      let call: @Sendable (Answer) -> Void
    }

    init(_ completion: @escaping @Sendable (Answer) -> Void) {
      self.completion = Locked(Completion(call: completion))
    }

    /// Releases the completion, unless it is called already: no answer is wanted any more.
    func cancel() { withExtendedLifetime(take()) {} }

    var isCancelled: Bool { completion.withLock { $0 == nil } }

    fileprivate func answer(_ answer: Answer) { take()?.call(answer) }

    private func take() -> Completion? { completion.withLock { $0.take() } }
  }

  private let limits: LookupQueue.Limits
  private let queue: Locked<LookupQueue>
  private let scheduler: (any SchedulerType)?
  private let addresses: Find

  /// - Parameters:
  ///   - scheduler: the clock of patience and deadline; the shared loop's own by default.
  ///   - addresses: the system's resolver by default.
  init(
    _ limits: LookupQueue.Limits = .init(),
    scheduler: (any SchedulerType)? = nil,
    addresses: @escaping Find = { (host, port) throws(TransportError) in
      try SocketAddress.find(host, port: port, .name)
    }
  ) {
    self.limits = limits
    queue = Locked(LookupQueue(limits))
    self.scheduler = scheduler
    self.addresses = addresses
  }

  /// Calls `completion` once on some thread, perhaps before this returns, unless the query is cancelled.
  func find(
    _ host: String,
    port: UInt16,
    completion: @escaping @Sendable (Query.Answer) -> Void
  ) -> Query {
    let query = Query(completion)
    perform(queue.withLock { $0.add(query, for: .init(host: host, port: port)) })
    return query
  }

  private func perform(_ action: LookupQueue.Action) {
    for failure in action.failures { failure.query.answer(.failure(failure.error)) }
    guard action.startsThread else { return }
    do throws(TransportError) {
      try SystemThread(name: "Sockets names") { [self] in work() }.detach()
    } catch {
      perform(queue.withLock { $0.threadFailed(error) })
    }
  }

  /// Runs look-ups until none waits.
  private func work() {
    while let lookup = queue.withLock({ $0.next() }) {
      guard run(lookup) else { return }
    }
  }

  /// Runs a look-up; returns whether its thread goes on.
  private func run(_ lookup: LookupQueue.Lookup) -> Bool {
    // Not before there is a name to look up: a program without one may never start the shared loop.
    let clock = LoopClock(loop: .shared, scheduler: scheduler)
    let waits = [
      clock.after(limits.patience) { [self] in
        perform(queue.withLock { $0.patienceEnded(lookup) })
      },
      clock.after(limits.deadline) { [self] in
        perform(queue.withLock { $0.deadlinePassed(lookup) })
      },
    ]
    let answer = Query.Answer { () throws(TransportError) in
      try addresses(lookup.name.host, lookup.name.port)
    }
    for wait in waits { wait.dispose() }
    let (queries, goesOn) = queue.withLock { $0.finished(lookup) }
    for query in queries { query.answer(answer) }
    return goesOn
  }
}
