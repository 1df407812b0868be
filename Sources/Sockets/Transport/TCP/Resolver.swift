/// Looks up names on threads of its own, because `getaddrinfo` blocks and cannot be interrupted.
///
/// A look-up without an answer from its name server occupies a thread, and delays others by at most
/// a second:
///
/// | a look-up | what happens |
/// | --- | --- |
/// | of a name whose look-up has no answer yet | gets the same answer |
/// | of another name | runs, or waits while eight run |
/// | without an answer after 1 s | is slow: another one takes its place, on another thread |
/// | without an answer after 30 s | fails with `lookupTimedOut`; its thread stays blocked |
/// | while 64 threads run slow look-ups | fails at once with `tooManyLookups` |
///
/// The times are real time, whatever scheduler a connection uses.
final class Resolver: Sendable {
  static let shared = Resolver()

  /// Asks the system, and blocks until it answers.
  typealias Find =
    @Sendable (_ host: String, _ port: UInt16) throws(TransportError) -> [SocketAddress]

  /// A query for the addresses of a name.
  final class Query: Sendable {
    typealias Answer = Result<[SocketAddress], TransportError>
    typealias Completion = @Sendable (Answer) -> Void
    private let completion: Locked<Completion?>

    init(_ completion: @escaping Completion) { self.completion = Locked(completion) }

    /// Cancels and releases the completion, unless it was called already.
    func cancel() { withExtendedLifetime(take()) {} }

    var isCancelled: Bool { completion.withLock { $0 == nil } }

    fileprivate func answer(_ answer: Answer) { take()?(answer) }

    private func take() -> Completion? { completion.withLock { $0.take() } }
  }

  private let limits: LookupQueue.Limits
  private let queue: Locked<LookupQueue>
  private let scheduler: (any SchedulerType)?
  private let addresses: Find

  /// - Parameters:
  ///   - scheduler: clock of the time limits; the shared loop's by default
  ///   - addresses: looks a name up; the system's resolver by default
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

  /// Calls `completion` once on any thread, possibly before this returns, unless cancelled.
  func find(
    _ host: String,
    port: UInt16,
    completion: @escaping Query.Completion
  ) -> Query {
    let query = Query(completion)
    perform(queue.withLock { $0.add(query, for: .init(host: host, port: port)) })
    return query
  }

  private func perform(_ action: LookupQueue.Action) {
    for failure in action.failures { failure.query.answer(.failure(failure.error)) }
    guard let lookup = action.lookup else { return }
    do throws(TransportError) {
      try SystemThread(name: "Sockets names") { [self] in
        var next: LookupQueue.Lookup? = lookup
        while let lookup = next { next = run(lookup) }
      }.detach()
    } catch {
      perform(queue.withLock { $0.threadFailed(lookup, error) })
    }
  }

  /// Runs a look-up; returns the next one for this thread.
  private func run(_ lookup: LookupQueue.Lookup) -> LookupQueue.Lookup? {
    // Made here and not earlier: a program that looks up no name need not start the shared loop.
    let clock = LoopClock(loop: .shared, scheduler: scheduler)
    let waits = [
      clock.after(limits.slowAfter) { [self] in
        perform(queue.withLock { $0.becameSlow(lookup) })
      },
      clock.after(limits.deadline) { [self] in
        perform(queue.withLock { $0.deadlinePassed(lookup) })
      },
    ]
    let answer = Query.Answer { () throws(TransportError) in
      try addresses(lookup.name.host, lookup.name.port)
    }
    for wait in waits { wait.dispose() }
    let (queries, next) = queue.withLock { $0.finished(lookup) }
    for query in queries { query.answer(answer) }
    return next
  }
}
