import Sockets

/// A list of the program's events, which the program searches and this side reads by position.
final class EventList: Sendable {
  private let query: Int
  private let connection: InspectorConnection
  /// The last progress of each list, by query: the first may arrive before the number of the query.
  private let progress: BehaviorSubject<[Int: QueryProgress]>
  private let subscription: any Disposable

  private init(
    _ query: Int, _ connection: InspectorConnection,
    _ progress: BehaviorSubject<[Int: QueryProgress]>, _ subscription: any Disposable
  ) {
    (self.query, self.connection) = (query, connection)
    (self.progress, self.subscription) = (progress, subscription)
  }

  deinit { subscription.dispose() }

  /// Opens a list.
  static func open(_ filter: EventFilter, on connection: InspectorConnection) async throws
    -> EventList
  {
    let progress = BehaviorSubject<[Int: QueryProgress]>(value: [:])
    let subscription = connection.notifications
      .compactMap { QueryProgress($0) }
      .scan(into: [:]) { $0[$1.query] = $1 }
      .subscribe(progress)
    do {
      let query = try await connection(Requests.Open(filter: filter)).query
      return EventList(query, connection, progress, subscription)
    } catch {
      subscription.dispose()
      throw error
    }
  }

  /// Opens a list, and closes it after `body`.
  static func with<Result>(
    _ filter: EventFilter, on connection: InspectorConnection,
    _ body: (EventList) async throws -> Result
  ) async throws -> Result {
    let list = try await open(filter, on: connection)
    let result: Result
    do {
      result = try await body(list)
    } catch {
      try? await list.close()
      throw error
    }
    // An ended program has closed it.
    try? await list.close()
    return result
  }

  /// Closes the list.
  func close() async throws {
    subscription.dispose()
    _ = try await connection(Requests.Close(query: query))
  }

  /// Waits for a progress that satisfies the condition.
  ///
  /// - Throws: ``InspectError/programEnded``; `CancellationError`.
  func progress(where isSatisfied: @escaping @Sendable (QueryProgress) -> Bool) async throws
    -> QueryProgress
  {
    try await first(own.filter(isSatisfied))
  }

  /// Waits until all events are searched, or returns the progress after a time.
  ///
  /// A busy program may always have events that are not searched yet.
  ///
  /// - Parameter limit: time, 3 seconds by default
  func searched(within limit: RxTimeInterval = .seconds(3)) async throws -> QueryProgress {
    let clock = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    return try await first(
      own.filter { $0.searched >= 1 }.timeout(limit, other: own, scheduler: clock))
  }

  /// The rows at these positions.
  func rows<Row: Decodable & Sendable>(from position: Int, count: Int, as type: Row.Type)
    async throws -> RowPage<Row>
  {
    try await connection(Requests.Rows<Row>(query: query, from: position, count: count))
  }

  private var own: Observable<QueryProgress> { progress.compactMap { [query] in $0[query] } }

  private func first(_ progress: Observable<QueryProgress>) async throws -> QueryProgress {
    do {
      return try await progress.take(1).asSingle().value
    } catch let error where error is RxError || error is WebSocketError {
      throw InspectError.programEnded
    }
  }
}

extension QueryProgress {
  /// The progress in a notification; nil for another one.
  fileprivate init?(_ notification: RPCNotification) {
    guard notification.method == "query",
      let query = notification.params["query"]?.integer,
      let count = notification.params["count"]?.integer,
      let dropped = notification.params["dropped"]?.integer
    else { return nil }
    let searched: Double =
      switch notification.params["searched"] {
      case .integer(let number): Double(number)
      case .number(let number): number
      default: 1
      }
    self.init(query: query, count: count, dropped: dropped, searched: searched)
  }
}
