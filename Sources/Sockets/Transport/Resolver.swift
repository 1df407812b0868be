import Reactive
import Synchronization

/// Looks names up on threads of its own, because `getaddrinfo` waits and cannot be interrupted.
///
/// At most eight at once: a name server that does not answer must not cost a thread per attempt.
final class Resolver: Sendable {
  static let shared = Resolver()

  /// A question under way.
  final class Query: Sendable {
    typealias Answer = Result<[SocketAddress], TransportError>
    fileprivate let host: String
    fileprivate let port: UInt16
    fileprivate let completion: @Sendable (Answer) -> Void
    private let isWanted = Atomic(true)

    fileprivate init(
      host: String,
      port: UInt16,
      completion: @escaping @Sendable (Answer) -> Void
    ) {
      self.host = host
      self.port = port
      self.completion = completion
    }

    /// The answer is not wanted any more; one already on its way may still come.
    func cancel() { isWanted.store(false, ordering: .relaxed) }

    fileprivate func run() {
      guard isWanted.load(ordering: .relaxed) else { return }
      let answer = Answer { () throws(TransportError) in
        try SocketAddress.find(host, port: port, .name)
      }
      if isWanted.load(ordering: .relaxed) { completion(answer) }
    }
  }

  private struct State {
    var waiting: [Query] = []
    var workers = 0
  }

  private let state = Locked(State())
  private let limit = 8

  /// Calls `completion` once on some thread, unless the query is cancelled.
  func find(
    _ host: String,
    port: UInt16,
    completion: @escaping @Sendable (Query.Answer) -> Void
  ) -> Query {
    let query = Query(host: host, port: port, completion: completion)
    let needsWorker = state.withLock { state in
      state.waiting.append(query)
      guard state.workers < limit else { return false }
      state.workers += 1
      return true
    }
    if needsWorker { startWorker() }
    return query
  }

  private func startWorker() {
    do {
      try SystemThread(name: "Sockets names") { [self] in work() }.detach()
    } catch {
      // Without a thread nobody will ever ask: all that wait hear why, unless another worker is
      // there to serve them.
      let stranded = state.withLock { state -> [Query] in
        state.workers -= 1
        guard state.workers == 0 else { return [] }
        defer { state.waiting = [] }
        return state.waiting
      }
      for query in stranded { query.completion(.failure(error)) }
    }
  }

  /// Serves until nothing waits.
  private func work() {
    while let query = next() { query.run() }
  }

  private func next() -> Query? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.workers -= 1
      return nil
    }
  }
}
