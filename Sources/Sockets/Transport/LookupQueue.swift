import Reactive

/// Which look-ups run, which wait for a thread, and who asked for each.
///
/// A plain value that decides; the resolver locks it, asks, unlocks and acts.
struct LookupQueue {
  typealias Query = Resolver.Query

  /// Bounds on threads and time.
  struct Limits: Equatable, Sendable {
    /// How many look-ups run at once, not counting those that are slow.
    var concurrent = 8
    /// How many threads there are at most, slow look-ups included.
    var threads = 64
    /// How long a look-up runs before it is slow, and another one may take its place.
    var patience = Duration.seconds(1)
    /// How long a look-up runs before its queries fail: about as long as `getaddrinfo` takes to ask three name
    /// servers twice.
    var deadline = Duration.seconds(30)
  }

  /// What is looked up.
  struct Name: Hashable, Sendable {
    var host: String
    var port: UInt16
  }

  /// A look-up to be run.
  struct Lookup: Sendable {
    let id: Int
    let name: Name
  }

  /// A query that fails.
  struct Failure: Sendable {
    let query: Query
    let error: TransportError
  }

  /// What the resolver has to do after unlocking.
  struct Action: Sendable {
    var startsThread = false
    var failures: [Failure] = []
  }

  private struct Entry {
    let lookup: Lookup
    var queries: [Query]
  }

  private let limits: Limits
  /// Look-ups that have queries: one for each name.
  private var entries: [Name: Entry] = [:]
  /// Look-ups that wait for a thread.
  private var waiting = Fifo<Lookup>()
  /// Look-ups that run and are not slow.
  private var fresh: Set<Int> = []
  private var lastID = 0

  /// How many threads there are.
  private(set) var threads = 0
  /// How many of them run a slow look-up.
  private(set) var slowThreads = 0

  init(_ limits: Limits) { self.limits = limits }

  // MARK: Queries

  /// Adds a query: to the look-up of its name that has no answer yet, or to a new one.
  mutating func add(_ query: Query, for name: Name) -> Action {
    if entries[name] != nil {
      entries[name]?.queries.append(query)
      return Action()
    }
    guard !isExhausted else { return Action(failures: [failure(of: query, for: name)]) }
    lastID += 1
    let lookup = Lookup(id: lastID, name: name)
    entries[name] = Entry(lookup: lookup, queries: [query])
    waiting.append(lookup)
    return Action(startsThread: claimThread())
  }

  /// Whether every thread there may be runs a slow look-up.
  private var isExhausted: Bool { slowThreads == limits.threads }

  private func failure(of query: Query, for name: Name) -> Failure {
    Failure(query: query, error: .tooManyLookups(host: name.host, limit: limits.threads))
  }

  private mutating func claimThread() -> Bool {
    guard threads < limits.threads, threads - slowThreads < limits.concurrent else { return false }
    threads += 1
    return true
  }

  // MARK: Threads

  /// The next look-up for a thread that has none; nil when the thread is to end.
  mutating func next() -> Lookup? {
    while let lookup = waiting.popFirst() {
      // All who asked have cancelled.
      if entries[lookup.name]?.queries.allSatisfy(\.isCancelled) != false {
        entries[lookup.name] = nil
        continue
      }
      fresh.insert(lookup.id)
      return lookup
    }
    threads -= 1
    return nil
  }

  /// The look-up has run for as long as the patience lasts.
  mutating func patienceEnded(_ lookup: Lookup) -> Action {
    guard fresh.remove(lookup.id) != nil else { return Action() }
    slowThreads += 1
    if isExhausted { return Action(failures: failWaiting { .tooManyLookups(host: $0, limit: $1) }) }
    return Action(startsThread: !waiting.isEmpty && claimThread())
  }

  /// The look-up has run until its deadline: who asked gets no answer, and the next to ask for the name begins
  /// another look-up.
  mutating func deadlinePassed(_ lookup: Lookup) -> Action {
    let error = TransportError.lookupTimedOut(host: lookup.name.host, after: limits.deadline)
    return Action(failures: take(lookup).map { Failure(query: $0, error: error) })
  }

  /// The look-up has an answer; returns who gets it.
  ///
  /// Its thread goes on when `goesOn` is true, and ends otherwise.
  mutating func finished(_ lookup: Lookup) -> (queries: [Query], goesOn: Bool) {
    let queries = take(lookup)
    if fresh.remove(lookup.id) != nil { return (queries, goesOn: true) }
    slowThreads -= 1
    // Another thread may have taken the place of this one.
    guard threads - slowThreads > limits.concurrent else { return (queries, goesOn: true) }
    threads -= 1
    return (queries, goesOn: false)
  }

  /// There is no thread for one that was to be started.
  mutating func threadFailed(_ error: TransportError) -> Action {
    threads -= 1
    // One that runs a fresh look-up serves those that wait, soon.
    guard threads == slowThreads else { return Action() }
    return Action(failures: failWaiting { _, _ in error })
  }

  private mutating func failWaiting(
    _ error: (_ host: String, _ limit: Int) -> TransportError
  ) -> [Failure] {
    var failures: [Failure] = []
    while let lookup = waiting.popFirst() {
      let error = error(lookup.name.host, limits.threads)
      failures += take(lookup).map { Failure(query: $0, error: error) }
    }
    return failures
  }

  /// The queries of a look-up, which has none from now on.
  private mutating func take(_ lookup: Lookup) -> [Query] {
    guard let entry = entries[lookup.name], entry.lookup.id == lookup.id else { return [] }
    entries[lookup.name] = nil
    return entry.queries
  }
}
