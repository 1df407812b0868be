/// Which look-ups run, which wait, and the queries of each.
///
/// A pure state machine: the resolver locks it, changes it, unlocks and acts.
struct LookupQueue {
  typealias Query = Resolver.Query

  /// Limits of threads and time.
  struct Limits: Equatable, Sendable {
    /// How many look-ups run at once, not counting slow ones.
    var concurrent = 8
    /// The most look-ups that run, including slow ones: each has a thread.
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
    /// The look-up to run on a new thread.
    var lookup: Lookup?
    var failures: [Failure] = []
  }

  private struct Entry {
    let lookup: Lookup
    var queries: [Query]
  }

  private let limits: Limits
  /// The look-ups that have queries, one for each name.
  private var entries: [Name: Entry] = [:]
  private var waiting = Fifo<Lookup>()
  /// The running look-ups that are not slow.
  private var running: Set<Int> = []
  private var lastID = 0

  /// How many slow look-ups run.
  private(set) var slowCount = 0

  init(_ limits: Limits) { self.limits = limits }

  /// Adds a query to the unanswered look-up of its name, or to a new one.
  mutating func add(_ query: Query, for name: Name) -> Action {
    if entries[name] != nil {
      entries[name]?.queries.append(query)
      return Action()
    }
    lastID += 1
    let lookup = Lookup(id: lastID, name: name)
    entries[name] = Entry(lookup: lookup, queries: [query])
    waiting.append(lookup)
    return proceed()
  }

  /// Runs the next look-up if the limits allow one; fails all of them if every thread is slow.
  private mutating func proceed() -> Action {
    if slowCount < limits.threads { return Action(lookup: next()) }
    return Action(failures: failWaiting { .tooManyLookups(host: $0, limit: $1) })
  }

  private mutating func next() -> Lookup? {
    guard running.count < limits.concurrent, running.count + slowCount < limits.threads else {
      return nil
    }
    while let lookup = waiting.popFirst() {
      if entries[lookup.name]?.queries.contains(where: { !$0.isCancelled }) == true {
        running.insert(lookup.id)
        return lookup
      }
      entries[lookup.name] = nil
    }
    return nil
  }

  /// Notes that a look-up has become slow.
  mutating func becameSlow(_ lookup: Lookup) -> Action {
    guard running.remove(lookup.id) != nil else { return Action() }
    slowCount += 1
    return proceed()
  }

  /// Fails the queries of a look-up at its deadline; the next query of the name begins a new one.
  mutating func deadlinePassed(_ lookup: Lookup) -> Action {
    let error = TransportError.lookupTimedOut(host: lookup.name.host, after: limits.deadline)
    return Action(failures: take(lookup).map { Failure(query: $0, error: error) })
  }

  /// Ends a look-up that has an answer; returns its queries, and the look-up to run instead.
  mutating func finished(_ lookup: Lookup) -> (queries: [Query], next: Lookup?) {
    if running.remove(lookup.id) == nil { slowCount -= 1 }
    return (take(lookup), next())
  }

  /// Notes that there is no thread for a look-up: it waits for the end of another one.
  mutating func threadFailed(_ lookup: Lookup, _ error: TransportError) -> Action {
    running.remove(lookup.id)
    waiting.append(lookup)
    // No end is near while only slow look-ups run.
    return running.isEmpty ? Action(failures: failWaiting { _, _ in error }) : Action()
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
