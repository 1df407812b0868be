/// The requests of a socket that wait for replies, by their keys: a plain value.
struct RequestTable {
  /// A reader that at least one request needs.
  struct ActiveReader {
    let id: Int
    let reader: ReplyReader
    /// Shared by readers of the same key path: a key is used once in it.
    let namespace: Int
    fileprivate var uses = 0
  }

  /// What a message with a readable key is.
  enum Match {
    case reply(WaitingRequest)
    case late
    case none
  }

  /// The readers to try for each message, in the order of their first use.
  private(set) var readers: [ActiveReader] = []
  private var waiting: [RequestKey: WaitingRequest] = [:]
  private var ended = EndedKeys()
  private var counts = RequestMetrics()
  private var requestCount = 0
  private var readerCount = 0
  /// Why no further connection follows; nil before that is known.
  private var finalError: WebSocketError?

  /// The number of requests that wait.
  var count: Int { waiting.count }

  var metrics: RequestMetrics {
    var metrics = counts
    metrics.waiting = count
    return metrics
  }

  // MARK: The life of a request

  /// Adds a request that is about to be sent; returns nil when its key is in use.
  mutating func add(_ request: OutgoingRequest) -> RequestTicket? {
    let index = readers.firstIndex { $0.reader.isSame(as: request.reader) }
    let namespace = index.map { readers[$0].namespace } ?? namespace(of: request.reader)
    let key = RequestKey(namespace: namespace, value: request.key)
    if waiting[key] != nil { return nil }
    let position = index ?? readers.count
    if index == nil {
      readerCount += 1
      readers.append(ActiveReader(id: readerCount, reader: request.reader, namespace: namespace))
    }
    readers[position].uses += 1
    // From now on a reply with the key belongs to this request.
    let released = ended.remove(key)
    requestCount += 1
    let ticket = RequestTicket(number: requestCount, key: key)
    waiting[key] = WaitingRequest(
      ticket: ticket, repeated: request.whenLost == .resend ? request.message : nil,
      readerID: readers[position].id, end: request.end)
    if let released { release(released) }
    return ticket
  }

  private func namespace(of reader: ReplyReader) -> Int {
    let path = reader.path as AnyKeyPath
    return readers.first { $0.reader.path as AnyKeyPath == path }?.namespace ?? readerCount
  }

  private mutating func release(_ readerID: Int) {
    guard let index = readers.firstIndex(where: { $0.id == readerID }) else { return }
    readers[index].uses -= 1
    if readers[index].uses == 0 { readers.remove(at: index) }
  }

  /// Notes that a connection accepts the request; returns false when the request has ended.
  mutating func markSent(_ ticket: RequestTicket) -> Bool {
    if ticket.isOver { return false }
    waiting[ticket.key]?.isSent = true
    return true
  }

  /// Notes that a connection has refused the request after all.
  mutating func markUnsent(_ ticket: RequestTicket) {
    if !ticket.isOver { waiting[ticket.key]?.isSent = false }
  }

  /// Removes a request, unless it has ended.
  mutating func remove(_ ticket: RequestTicket) -> WaitingRequest? {
    if ticket.isOver { return nil }
    guard let removed = waiting.removeValue(forKey: ticket.key) else { return nil }
    ticket.end()
    release(removed.readerID)
    return removed
  }

  /// Removes a request that no connection has accepted, unless it has ended.
  mutating func removeUnsent(_ ticket: RequestTicket) -> WaitingRequest? {
    waiting[ticket.key]?.isSent == false ? remove(ticket) : nil
  }

  /// Removes a request that was sent and whose reply may still arrive, unless it has ended.
  mutating func abandon(_ ticket: RequestTicket) -> WaitingRequest? {
    if ticket.isOver { return nil }
    guard let removed = waiting.removeValue(forKey: ticket.key) else { return nil }
    ticket.end()
    // Its reader stays in use, for the late reply.
    if let forgotten = ended.insert(ticket.key, of: removed.readerID) { release(forgotten) }
    return removed
  }
}

// MARK: - Messages and losses

extension RequestTable {
  /// Finds the request to which a key belongs, and removes it.
  mutating func match(_ key: AnyHashable, read reader: ActiveReader) -> Match {
    let key = RequestKey(namespace: reader.namespace, value: key)
    if let request = waiting[key], request.readerID == reader.id {
      return remove(request.ticket).map { .reply($0) } ?? .none
    }
    guard let readerID = ended.remove(key) else { return .none }
    release(readerID)
    counts.lateReplies += 1
    return .late
  }

  mutating func countUnmatched() { counts.unmatchedReplies += 1 }

  mutating func countDiscarded() { counts.discardedMessages += 1 }

  /// Takes the sent requests of a connection that has ended, in the order of their starts.
  ///
  /// - Parameter isFinal: whether no other connection follows.
  /// - Returns: the removed requests, which fail, and the messages of the others, to be sent again.
  mutating func loseConnection(
    _ error: WebSocketError, isFinal: Bool
  ) -> (failed: [WaitingRequest], repeated: [(RequestTicket, WebSocketMessage)]) {
    if isFinal { finalError = error }
    // No late reply arrives from another connection.
    ended.removeAll().forEach { release($0) }
    var failed: [WaitingRequest] = []
    var repeated: [(RequestTicket, WebSocketMessage)] = []
    let sent = waiting.values.filter(\.isSent).sorted { $0.ticket.number < $1.ticket.number }
    for request in sent {
      if let message = request.repeated, !isFinal {
        waiting[request.ticket.key]?.isSent = false
        waiting[request.ticket.key]?.loss = error
        repeated.append((request.ticket, message))
      } else if let removed = remove(request.ticket) {
        failed.append(removed)
      }
    }
    return (failed, repeated)
  }

  /// Notes that the connection has accepted a request; returns the request if it is lost already.
  mutating func noteSent(_ ticket: RequestTicket) -> (WaitingRequest, WebSocketError)? {
    guard markSent(ticket), let finalError else { return nil }
    return remove(ticket).map { ($0, finalError) }
  }
}
