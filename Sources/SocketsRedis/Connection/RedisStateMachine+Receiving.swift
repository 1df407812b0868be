import Sockets

// What arrives on the two connections.
extension RedisStateMachine {
  /// Notes that a connection of an attempt is made.
  mutating func opened(_ role: Role, of attempt: Int) {
    guard attempt == self.attempt, case .connecting = phase else { return }
    let link = Link(handshake: RedisHandshake(url))
    links[role] = link
    send(link.handshake.first, role)
  }

  /// Notes that a connection of an attempt has failed.
  mutating func failed(_ error: RedisError, of attempt: Int, at now: Duration) {
    if attempt == self.attempt { fail(error, at: now) }
  }

  /// Handles what has arrived in one read, possibly no whole value.
  mutating func received(
    _ values: [RESPValue], on role: Role, of attempt: Int, at now: Duration
  ) {
    for value in values {
      guard attempt == self.attempt, links[role] != nil else { return }
      do throws(RedisError) {
        try receive(value, on: role, at: now)
      } catch {
        fail(error, at: now)
      }
    }
    links[role]?.isAlive = true
  }

  private mutating func receive(
    _ value: RESPValue, on role: Role, at now: Duration
  ) throws(RedisError) {
    guard links[role]?.handshake.isDone == true else { return try shakeHands(value, on: role) }
    switch role {
    case .subscriptions: try receivePush(value, at: now)
    case .commands: try receiveReply(value, at: now)
    }
  }

  private mutating func shakeHands(_ value: RESPValue, on role: Role) throws(RedisError) {
    guard var handshake = links[role]?.handshake else { return }
    let next = try handshake.receive(value)
    links[role]?.handshake = handshake
    if let next { send(next, role) }
    guard links.count == 2, links.values.allSatisfy({ $0.handshake.isDone }) else { return }
    phase = .subscribing
    for part in parts(of: topics.sorted()) {
      send(RedisCommand("SUBSCRIBE", part.map { channel($0) }), .subscriptions)
    }
    send(RedisCommand("PING"), .subscriptions)
  }

  /// Parts of a thousand, so that no command blocks Redis for long.
  private func parts(of topics: [String]) -> [ArraySlice<String>] {
    stride(from: 0, to: topics.count, by: 1_000).map {
      topics[$0..<min($0 + 1_000, topics.count)]
    }
  }

  private mutating func subscribed(at now: Duration) {
    phase = .open(since: now)
    outputs.append(.emit(.state(.connected)))
    outputs.append(.wait(.ping(attempt: attempt), configuration.pingInterval))
    while let publication = queue.popFirst() { send(publication) }
    if streams != nil { for topic in topics.sorted() { locate(topic) } }
  }

  // MARK: Subscriptions

  /// Handles a push, which in version 2 is an array.
  private mutating func receivePush(_ value: RESPValue, at now: Duration) throws(RedisError) {
    let parts: [RESPValue]
    switch value {
    case .push(let elements), .array(let elements): parts = elements
    case .text("PONG"): return pongArrived(at: now)
    case .error(let text): throw RedisError(reply: text)
    default: throw .malformedAnswer(.unexpected(value.summary))
    }
    switch parts.first?.string {
    case "message":
      guard parts.count == 3, let channel = parts[1].string, let bytes = parts[2].data else {
        throw .malformedAnswer(.unexpected(value.summary))
      }
      guard let topic = topic(channel) else { return }
      if streams == nil {
        outputs.append(.emit(.message(bytes, topic: topic)))
      } else {
        deliver(streams?.published(bytes, to: topic).map { [$0] })
      }
    case "pong": pongArrived(at: now)
    // Confirmations, and news of Redis that are not asked for.
    default: break
    }
  }

  /// The topic of a channel, if it is subscribed.
  private func topic(_ channel: String) -> String? {
    guard channel.hasPrefix(configuration.prefix) else { return nil }
    let topic = String(channel.dropFirst(configuration.prefix.count))
    return topics.contains(topic) ? topic : nil
  }

  private mutating func pongArrived(at now: Duration) {
    if case .subscribing = phase { subscribed(at: now) }
  }

  // MARK: Commands

  private mutating func receiveReply(_ value: RESPValue, at now: Duration) throws(RedisError) {
    if case .push = value { return }
    guard let expectation = expected.popFirst() else {
      if case .error(let text) = value { throw RedisError(reply: text) }
      throw .malformedAnswer(.unexpected(value.summary))
    }
    switch expectation {
    case .published(let cost, let isTransient):
      heldBytes -= cost
      if case .error(let text) = value, !isTransient { lose(1, RedisError(reply: text)) }
    case .added(let publication):
      if case .error(let text) = value {
        if Self.isTemporary(text) {
          // It is repeated on the next connection.
          queue.append(publication)
          throw RedisError(reply: text)
        }
        lose(1, RedisError(reply: text))
      }
      heldBytes -= publication.cost
    case .located(let topic): deliver(streams?.located(topic, value))
    case .read: deliver(streams?.received(value))
    case .pong, .nothing: break
    }
  }

  /// Whether another connection may help: this Redis has become a replica, or loads its data.
  private static func isTemporary(_ error: String) -> Bool {
    ["READONLY", "LOADING", "MASTERDOWN", "TRYAGAIN"].contains { error.hasPrefix($0) }
  }

  mutating func locate(_ topic: String) {
    if let command = streams?.locate(topic) { ask(command, .located(topic)) }
  }

  private mutating func read() {
    if let command = streams?.nextRead() { ask(command, .read) }
  }

  private mutating func deliver(_ deliveries: [RedisStreams.Delivery]?) {
    for delivery in deliveries ?? [] {
      switch delivery {
      case .message(let bytes, let topic): outputs.append(.emit(.message(bytes, topic: topic)))
      case .missing(let topic, let reason):
        outputs.append(.emit(.failed(.notReceived(topic: topic, reason: reason))))
      }
    }
    read()
  }
}
