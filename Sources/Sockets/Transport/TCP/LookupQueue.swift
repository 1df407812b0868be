import Reactive

/// Which look-ups run, which wait for a thread, and the queries of each.
///
/// A pure state machine: the resolver locks it, changes it, unlocks and acts.
struct LookupQueue {
  typealias Query = Resolver.Query

  /// Limits of threads and time.
  struct Limits: Equatable, Sendable {
    /// How many look-ups run at once, not counting slow ones.
    var concurrent = 8
    /// The most threads, including those of slow look-ups.
    var threads = 64
    /// The time after which a look-up is slow, and another one may take its place.
    var slowAfter = Duration.seconds(1)
    /// The time after which the queries of a look-up fail.
    ///
    /// `getaddrinfo` takes about as long to ask three name servers twice.
    var deadline = Duration.seconds(30)
  }

  /// The subject of a look-up.
  struct Name: Hashable, Sendable {
    var host: String
    var port: UInt16
  }

  /// A look-up to run.
  struct Lookup: Sendable {
    let id: Int
    let name: Name
  }

  /// A failed query with its error.
  struct Failure: Sendable {
    let query: Query
    let error: TransportError
  }

  /// The work of the resolver after unlocking.
  struct Action: Sendable {
    var startsThread = false
    var failures: [Failure] = []
  }

  private struct Entry {
    let lookup: Lookup
    var queries: [Query]
  }

  private let limits: Limits
  /// The look-ups that have queries, one for each name.
  private var entries: [Name: Entry] = [:]
  /// The look-ups that wait for a thread.
  private var waiting = Fifo<Lookup>()
  /// The running look-ups that are not slow.
  private var running: Set<Int> = []
  private var lastID = 0

  /// How many threads exist.
  private(set) var threads = 0
  /// How many of them run a slow look-up.
  private(set) var slowThreads = 0

  init(_ limits: Limits) { self.limits = limits }

  // MARK: Queries

  /// Adds a query to the unanswered look-up of its name, or to a new one.
  mutating func add(_ query: Query, for name: Name) -> Action {
    if entries[name] != nil {
      entries[name]?.queries.append(query)
      return Action()
    }
    guard !allThreadsAreSlow else { return Action(failures: [failure(of: query, for: name)]) }
    lastID += 1
    let lookup = Lookup(id: lastID, name: name)
    entries[name] = Entry(lookup: lookup, queries: [query])
    waiting.append(lookup)
    return Action(startsThread: claimThread())
  }

  /// Whether the limit of threads is reached, and all of them run slow look-ups.
  private var allThreadsAreSlow: Bool { slowThreads == limits.threads }

  private func failure(of query: Query, for name: Name) -> Failure {
    Failure(query: query, error: .tooManyLookups(host: name.host, limit: limits.threads))
  }

  private mutating func claimThread() -> Bool {
    guard threads < limits.threads, threads - slowThreads < limits.concurrent else { return false }
    threads += 1
    return true
  }

  // MARK: Threads

  /// The next look-up for an idle thread; nil if the thread should end.
  mutating func next() -> Lookup? {
    while let lookup = waiting.popFirst() {
      // All queries of this look-up were cancelled.
      if entries[lookup.name]?.queries.allSatisfy(\.isCancelled) != false {
        entries[lookup.name] = nil
        continue
      }
      running.insert(lookup.id)
      return lookup
    }
    threads -= 1
    return nil
  }

  /// Notes that a look-up has become slow.
  mutating func becameSlow(_ lookup: Lookup) -> Action {
    guard running.remove(lookup.id) != nil else { return Action() }
    slowThreads += 1
    if allThreadsAreSlow {
      return Action(failures: failWaiting { .tooManyLookups(host: $0, limit: $1) })
    }
    return Action(startsThread: !waiting.isEmpty && claimThread())
  }

  /// Fails the queries of a look-up at its deadline; the next query of the name begins a new one.
  mutating func deadlinePassed(_ lookup: Lookup) -> Action {
    let error = TransportError.lookupTimedOut(host: lookup.name.host, after: limits.deadline)
    return Action(failures: take(lookup).map { Failure(query: $0, error: error) })
  }

  /// Ends a look-up that has an answer; returns its queries.
  ///
  /// Its thread continues if `threadContinues` is true, and ends otherwise.
  mutating func finished(_ lookup: Lookup) -> (queries: [Query], threadContinues: Bool) {
    let queries = take(lookup)
    if running.remove(lookup.id) != nil { return (queries, threadContinues: true) }
    slowThreads -= 1
    // Another thread may have taken the place of this one.
    guard threads - slowThreads > limits.concurrent else { return (queries, threadContinues: true) }
    threads -= 1
    return (queries, threadContinues: false)
  }

  /// Notes that a thread could not be started.
  mutating func threadFailed(_ error: TransportError) -> Action {
    threads -= 1
    // A thread with a look-up that is not slow will run the waiting ones soon.
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

  /// Removes and returns the queries of a look-up.
  private mutating func take(_ lookup: Lookup) -> [Query] {
    guard let entry = entries[lookup.name], entry.lookup.id == lookup.id else { return [] }
    entries[lookup.name] = nil
    return entry.queries
  }
}
