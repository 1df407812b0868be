import Synchronization

/// Looks names up on threads of its own, because `getaddrinfo` waits and cannot be interrupted.
///
/// At most eight at once: a name server that does not answer must not cost a thread per attempt.
final class Resolver: Sendable {
  static let shared = Resolver()

  /// A question under way.
  final class Query: Sendable {
    typealias Answer = Result<[SocketAddress], TransportError>
    private let isWanted = Atomic(true)

    /// The answer is not wanted any more; one already on its way may still come.
    func cancel() { isWanted.store(false, ordering: .relaxed) }

    fileprivate var isCancelled: Bool { !isWanted.load(ordering: .relaxed) }
  }

  private let workers = Workers(name: "Sockets names", limit: 8)

  /// Calls `completion` once on some thread, unless the query is cancelled.
  func find(
    _ host: String,
    port: UInt16,
    completion: @escaping @Sendable (Query.Answer) -> Void
  ) -> Query {
    let query = Query()
    workers.perform {
      if query.isCancelled { return }
      let answer = Query.Answer { () throws(TransportError) in
        try SocketAddress.find(host, port: port, .name)
      }
      if !query.isCancelled { completion(answer) }
    } orFail: { error in
      completion(.failure(error))
    }
    return query
  }
}
